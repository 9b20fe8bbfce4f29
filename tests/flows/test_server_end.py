"""The server is asked to stop while a turn is being shown."""

from __future__ import annotations

import asyncio

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


@pytest.mark.parametrize(
    ("drain_s", "status", "last"),
    [(20.0, "succeeded", ("RUN_FINISHED", None)), (0.2, "running", ("RUN_ERROR", "interrupted"))],
)
async def test_a_stream_is_shown_until_the_run_ends_or_is_handed_on_when_the_server_stops(
    deployment: Deployment,
    database_url: str,
    provider: FakeProvider,
    drain_s: float,
    status: str,
    last: tuple[str, str | None],
) -> None:
    provider.scenario = chat_script(execution={"text": None, "chunks": 70, "gap_s": 0.1})
    app = RunningApp(deployment.settings(database_url), Adapters(drain_s=drain_s))
    async with app, httpx.AsyncClient(base_url=app.base_url, timeout=30) as http:
        asked = asyncio.create_task(AgUiClient(http).ask("hello"))
        await provider.until(lambda seen: seen.requests == 2)
        await app.__aexit__(None, None, None)
        turn = await asked
    assert turn.breaches == [] or status == "running"  # what breaks off has no more frames
    assert (turn.last["type"], turn.last.get("code")) == last
    connection = await asyncpg.connect(plain_url(database_url))
    try:
        books = Books(connection)
        assert await books.run_status(turn.run_id) == status
        if status == "running":  # the next one that starts goes on with it
            provider.scenario = chat_script()
            async with RunningApp(deployment.settings(database_url)):
                await books.until_idle(within_s=30)
            assert await books.run_status(turn.run_id) == "succeeded"
        assert await books.audit() == {}
    finally:
        await connection.close()
