"""The server is asked to stop while a turn is being shown."""

from __future__ import annotations

import asyncio
from typing import Any

import asyncpg
import httpx
import pytest

from callsheet.db.engine import plain_url
from callsheet.wiring.adapters import Adapters
from tests.fakes.agui_client import AgUiClient
from tests.fakes.books import Books
from tests.fakes.chat_script import chat_script
from tests.fakes.deployment import Deployment
from tests.fakes.provider.server import FakeProvider
from tests.fakes.running_app import RunningApp

CANCELLED = {"type": "cancelled"}


@pytest.mark.parametrize(
    ("drain_s", "status", "outcome"), [(20.0, "succeeded", None), (0.2, "cancelled", CANCELLED)]
)
async def test_a_stream_is_shown_to_the_runs_end_when_the_server_stops(
    deployment: Deployment,
    database_url: str,
    provider: FakeProvider,
    drain_s: float,
    status: str,
    outcome: dict[str, Any] | None,
) -> None:
    provider.scenario = chat_script(execution={"text": None, "chunks": 70, "gap_s": 0.1})
    app = RunningApp(deployment.settings(database_url), Adapters(drain_s=drain_s))
    async with app, httpx.AsyncClient(base_url=app.base_url, timeout=30) as http:
        asked = asyncio.create_task(AgUiClient(http).ask("hello"))
        await provider.until(lambda seen: seen.requests == 2)
        await app.__aexit__(None, None, None)
        turn = await asked
    assert turn.breaches == []
    assert turn.last["type"] == "RUN_FINISHED"
    assert turn.last.get("outcome") == outcome
    connection = await asyncpg.connect(plain_url(database_url))
    try:
        assert await Books(connection).run_status(turn.run_id) == status
        assert await Books(connection).audit() == {}
    finally:
        await connection.close()
