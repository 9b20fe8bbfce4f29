"""Two processes of the product that serve one database."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx

from callsheet.settings.settings import Settings
from tests.fakes.agui_client import AgUiClient
from tests.fakes.running_app import RunningApp


@asynccontextmanager
async def client_of(app: RunningApp) -> AsyncIterator[AgUiClient]:
    async with httpx.AsyncClient(base_url=app.base_url, timeout=30) as http:
        yield AgUiClient(http)


@asynccontextmanager
async def two_apps(settings: Settings) -> AsyncIterator[tuple[AgUiClient, AgUiClient]]:
    """A client of each."""
    async with (
        RunningApp(settings) as one,
        RunningApp(settings) as two,
        client_of(one) as here,
        client_of(two) as there,
    ):
        yield here, there
