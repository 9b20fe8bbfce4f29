"""A server whose usage is a real ledger's."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from decimal import Decimal
from typing import Any, Final
from zoneinfo import ZoneInfo

import httpx
import pytest

from callsheet.agui.show import ShowOptions
from callsheet.auth.api_keys import ApiKeys
from callsheet.auth.bearer import Bearer
from callsheet.db.transaction import Database
from callsheet.ledger.budget.limits import Limits
from callsheet.ledger.budget.quotas import QuotaRules, Quotas
from callsheet.main import create_app
from callsheet.wiring.usage import UsageService
from tests.api.fake import ALICE, OPTIONS, World
from tests.fakes.clock import HandClock
from tests.ledger.report.calls import NOON

ROOT: Final = {"Authorization": "Bearer sk-root-1"}
NOVEMBER: Final = {"month": "2026-11"}
LIMITS: Final = Limits({"user_day": {"cost": Decimal(2), "calls": Decimal(5)}})

Open = Callable[..., AbstractAsyncContextManager[httpx.AsyncClient]]


@pytest.fixture
def opened(database: Database) -> Open:
    """Opens a client of a server whose usage is the database's; root is an admin."""

    @asynccontextmanager
    async def opened(
        headers: dict[str, str] = ALICE, show: ShowOptions | None = None, limits: Limits = LIMITS
    ) -> AsyncIterator[httpx.AsyncClient]:
        world = World()
        quotas = Quotas(QuotaRules(ZoneInfo("Asia/Shanghai"), limits))
        world.usage = UsageService(lambda: database, quotas, HandClock(NOON), "USD")
        names = ["alice:sk-alice", "bob:sk-bob-2", "root:sk-root-1"]
        services = replace(world.services(), identities=Bearer([ApiKeys(names, ["root"])]))
        options = OPTIONS if show is None else replace(OPTIONS, show=show)
        transport = httpx.ASGITransport(create_app(services, options))
        async with httpx.AsyncClient(
            transport=transport, base_url="http://callsheet.example", headers=headers
        ) as client:
            yield client

    return opened


async def get(client: httpx.AsyncClient, path: str, **params: str) -> Any:
    answer = await client.get(f"/v1/usage/{path}", params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def refused(client: httpx.AsyncClient, path: str, **params: str) -> tuple[int, Any]:
    answer = await client.get(f"/v1/usage/{path}", params=params)
    return answer.status_code, answer.json().get("field")
