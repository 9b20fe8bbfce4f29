"""The API over the prices of a real database."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from typing import Any, Final

import httpx
import pytest

from callsheet.agui.show import ShowOptions
from callsheet.auth.api_keys import ApiKeys
from callsheet.auth.bearer import Bearer
from callsheet.db.transaction import Database
from callsheet.kit.clock import SystemClock
from callsheet.ledger.price.book import PriceBook
from callsheet.main import create_app
from callsheet.wiring.price_feed import PriceFeed
from callsheet.wiring.prices import PriceService
from tests.api.fake import ALICE, OPTIONS, World

ROOT: Final = {"Authorization": "Bearer sk-root-1"}
NAME: Final = {"factory": "qwen", "modelCode": "qwen3.5-flash"}
PRICE: Final = {
    **NAME,
    "currency": "USD",
    "source": "price list of today",
    "inputPerMillion": "0.2",
    "cachedPerMillion": "0.04",
    "outputPerMillion": "0.8",
}
PATH: Final = "/v1/prices/qwen/qwen3.5-flash"


class Server:
    """The API of one process, its price book, and who asks."""

    def __init__(self, database: Database) -> None:
        self.book = PriceBook()
        self.feed = PriceFeed(database, self.book)
        self.service = PriceService(
            lambda: database,
            lambda: self.feed,
            SystemClock(),
            "USD",
            {("qwen", "qwen3.5-flash"), ("local", "smollm2")},
        )
        self.http: httpx.AsyncClient

    async def post(self, asked: dict[str, Any], headers: dict[str, str] = ROOT) -> httpx.Response:
        return await self.http.post("/v1/prices", json=asked, headers=headers)


Open = Callable[..., AbstractAsyncContextManager[Server]]


@pytest.fixture
def opened(database: Database) -> Open:
    """Opens a server with the database's prices; alice asks, root is an admin."""

    @asynccontextmanager
    async def opened(show: ShowOptions | None = None) -> AsyncIterator[Server]:
        server, world = Server(database), World()
        world.prices = server.service
        keys = ApiKeys(["alice:sk-alice", "root:sk-root-1"], ["root"])
        services = replace(world.services(), identities=Bearer([keys]))
        options = OPTIONS if show is None else replace(OPTIONS, show=show)
        transport = httpx.ASGITransport(create_app(services, options))
        async with httpx.AsyncClient(
            transport=transport, base_url="http://callsheet.example", headers=ALICE
        ) as server.http:
            yield server

    return opened
