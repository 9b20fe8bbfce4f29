"""The database goes away, or refuses, while turns are under way."""

from __future__ import annotations

import asyncio
import os
import signal
from uuid import UUID

import asyncpg
import httpx

from callsheet.db.driver import DriverConnection
from callsheet.db.engine import plain_url
from callsheet.events.call import LlmCallFinished
from callsheet.events.entry import Entry
from callsheet.journal.budgets import Budgets
from callsheet.journal.changes import Changes
from callsheet.journal.postgres import PostgresJournal
from callsheet.journal.written import Written
from callsheet.wiring.adapters import Adapters
from tests.db.embedded_users import end_all, folder, none_left, server_pid
from tests.fakes.agui_client import AgUiClient, Turn
from tests.fakes.books import Books
from tests.fakes.chat_script import chat_script
from tests.fakes.deployment import Deployment
from tests.fakes.provider.server import FakeProvider
from tests.fakes.running_app import RunningApp
from tests.fixtures.app import Serve

CUT = (
    "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
    "WHERE datname = current_database() AND application_name LIKE 'callsheet%'"
)
SLOW = {"text": None, "chunks": 40, "gap_s": 0.03}


async def until_working(provider: FakeProvider, requests: int = 2) -> None:
    await provider.until(lambda seen: seen.requests >= requests)


async def test_a_turn_goes_on_when_every_connection_is_cut(
    deployment: Deployment, serve: Serve, provider: FakeProvider
) -> None:
    provider.scenario = chat_script(execution=SLOW)
    async with serve(deployment) as (agui, books):
        asked = asyncio.create_task(agui.ask("hello", thread_id="t"))
        await until_working(provider)
        assert await books.one(CUT) >= 2
        turn = await asked
        assert turn.breaches == []
        assert turn.text == "Here is your answer."
        assert await books.audit() == {}


async def test_a_run_under_way_is_not_given_up_because_its_workers_lock_was_cut(
    deployment: Deployment, serve: Serve, provider: FakeProvider
) -> None:
    provider.scenario = chat_script(execution=SLOW)
    async with serve(deployment) as (agui, books):
        asked = asyncio.create_task(agui.ask("hello", thread_id="t"))
        await until_working(provider)
        await books.one(CUT)
        refused = await second_message(agui)
        turn = await asked
        assert refused.status_code == 409
        assert refused.json()["runId"] == turn.headers["x-run-id"]
        assert turn.text == "Here is your answer."
        assert await books.run_status(turn.headers["x-run-id"]) == "succeeded"


async def second_message(agui: AgUiClient) -> httpx.Response:
    """Sent again while the server is still reconnecting."""
    body = agui.body("again", thread_id="t")
    for _ in range(50):
        answer = await agui.http.post("/v1/agent-chat", json=body)
        if answer.status_code != 503:
            break
        await asyncio.sleep(0.02)
    return answer


class Refusing:
    """A journal whose database refuses the end of one model call, whatever comes with it."""

    refused = 0

    def __init__(self, connection: DriverConnection, currency: str, budgets: Budgets) -> None:
        self._journal = PostgresJournal(connection, currency, budgets)

    async def write(self, entries: list[tuple[UUID, Entry]], changes: Changes) -> Written:
        for _, entry in entries:
            event = entry.event
            if isinstance(event, LlmCallFinished) and event.status == "settled":
                Refusing.refused += 1
                raise asyncpg.NumericValueOutOfRangeError("integer out of range")
        return await self._journal.write(entries, changes)


async def test_a_run_whose_journal_is_refused_ends_as_failed_and_frees_its_session(
    deployment: Deployment, database_url: str, provider: FakeProvider
) -> None:
    adapters = Adapters(journal=Refusing)
    async with (
        RunningApp(deployment.settings(database_url), adapters) as app,
        httpx.AsyncClient(base_url=app.base_url, timeout=30) as http,
    ):
        agui = AgUiClient(http)
        turns: list[Turn] = [await agui.ask(text, thread_id="t") for text in ("one", "two")]
    connection = await asyncpg.connect(plain_url(database_url))
    try:
        books = Books(connection)
        for turn in turns:
            assert turn.breaches == []
            assert turn.last["type"] == "RUN_ERROR"
            assert turn.last["code"] == "unavailable"
            assert await books.run_status(turn.headers["x-run-id"]) == "failed"
        calls = [(call["status"], call["error_code"]) for call in await books.calls()]
        assert calls == [("orphaned", "not_booked")] * 2
        assert await books.audit() == {}
    finally:
        await connection.close()
    assert Refusing.refused == 4  # as it ended, and once more when its run was ended


async def test_a_killed_embedded_server_is_revived_under_a_turn(
    deployment: Deployment, provider: FakeProvider
) -> None:
    provider.scenario = chat_script(execution={**SLOW, "gap_s": 0.1})
    data_dir = folder()
    settings = deployment.settings("", database={}, data_dir=data_dir)
    try:
        async with (
            RunningApp(settings) as app,
            httpx.AsyncClient(base_url=app.base_url, timeout=60) as http,
        ):
            asked = asyncio.create_task(AgUiClient(http).ask("hello"))
            await until_working(provider)
            os.kill(server_pid(data_dir) or 0, signal.SIGKILL)
            turn = await asked
            assert turn.breaches == []
            assert turn.text == "Here is your answer."
            again = await AgUiClient(http).ask("hello again", thread_id=turn.thread_id)
            assert again.text == "Here is your answer."
        assert none_left(data_dir)
    finally:
        end_all(data_dir)
