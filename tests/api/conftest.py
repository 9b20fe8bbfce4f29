"""The application over fakes, called without a socket."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import httpx
import pytest
import structlog

from callsheet.main import create_app
from tests.api.fake import ALICE, OPTIONS, World


@pytest.fixture(autouse=True)
def plain_log() -> Iterator[None]:
    """One short line for each entry: the default draws every local variable of a traceback."""
    structlog.configure(
        processors=[structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
    )
    yield
    structlog.reset_defaults()


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
async def client(world: World) -> AsyncIterator[httpx.AsyncClient]:
    """Alice's client."""
    transport = httpx.ASGITransport(create_app(world.services(), OPTIONS))
    async with httpx.AsyncClient(
        transport=transport, base_url="http://callsheet.example", headers=ALICE
    ) as made:
        yield made
