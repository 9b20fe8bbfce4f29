"""The application over fakes, called without a socket."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx
import pytest

from callsheet.main import create_app
from tests.api.fake import ALICE, OPTIONS, World


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
