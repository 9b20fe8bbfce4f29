"""Runs are read and stopped by their user alone; a stop returns once the run has ended."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from callsheet.db.transaction import Database
from callsheet.events.run import RunCancelled
from callsheet.kit.errors import Conflict, NotFound
from callsheet.kit.ids import new_id
from callsheet.kit.pages import PageRequest
from callsheet.wiring.application import Application
from tests.fakes.chat import ScriptedChat
from tests.ledger.bookings import assert_sound
from tests.sessions.rows import change
from tests.wiring.stage import (
    OTHER,
    USER,
    all_of,
    answering,
    application,
    begin,
    hanging,
    settings_of,
    until_text,
    wish,
)


@pytest.fixture
def chat() -> ScriptedChat:
    """Hangs in the middle of the work until `choose` is set to something else."""
    return ScriptedChat(choose=hanging)


@pytest.fixture
async def app(tmp_path: Path, database_url: str, chat: ScriptedChat) -> AsyncIterator[Application]:
    async with application(settings_of(tmp_path, database_url), chat, drain_s=0.1) as running:
        await running.ready()
        yield running


async def test_a_stop_ends_the_run_and_gives_it_back_ended(
    app: Application, chat: ScriptedChat, database: Database
) -> None:
    run = await begin(app, "Take your time")
    await until_text(run.entries, "Half the ")
    async with asyncio.timeout(5):
        stopped = await app.runs.cancel(USER, run.run_id)
    assert (stopped.status, chat.open) == ("cancelled", 0)
    assert stopped.finished_at is not None
    assert await app.runs.cancel(USER, run.run_id) == stopped
    looked_on = await app.chat.start(
        USER, None, wish("Take your time", run.session_id, run.run_id), "trace-2"
    )
    (end,) = [e.event for e in await all_of(looked_on.entries) if isinstance(e.event, RunCancelled)]
    assert end.reason == "user"
    await assert_sound(database)


async def test_a_stop_of_a_run_that_has_just_begun_is_heard(app: Application) -> None:
    run = await begin(app, "Never mind")
    assert (await app.runs.cancel(USER, run.run_id)).status == "cancelled"


async def test_a_sessions_active_run_is_stopped_by_the_session(app: Application) -> None:
    run = await begin(app, "Take your time")
    stopped = await app.runs.cancel_session(USER, run.session_id)
    assert stopped is not None
    assert (stopped.id, stopped.status) == (run.run_id, "cancelled")
    assert await app.runs.cancel_session(USER, run.session_id) is None


async def test_another_users_runs_are_not_there(app: Application) -> None:
    run = await begin(app, "Mine")
    for ask in (
        app.runs.get(OTHER, run.run_id),
        app.runs.cancel(OTHER, run.run_id),
        app.runs.cancel_session(OTHER, run.session_id),
        app.runs.of_session(OTHER, run.session_id, PageRequest()),
        app.runs.get(USER, new_id()),
    ):
        with pytest.raises(NotFound):
            await ask
    assert (await app.runs.get(USER, run.run_id)).status in ("queued", "running")


async def test_a_sessions_runs_are_listed_newest_first(
    app: Application, chat: ScriptedChat
) -> None:
    chat.choose = answering
    first = await begin(app, "one")
    await all_of(first.entries)
    second = await begin(app, "two", first.session_id)
    await all_of(second.entries)
    page = await app.runs.of_session(USER, first.session_id, PageRequest(limit=1))
    assert [run.id for run in page.items] == [second.run_id]
    rest = await app.runs.of_session(USER, first.session_id, PageRequest(1, page.next_cursor))
    assert [run.id for run in rest.items] == [first.run_id]
    assert rest.next_cursor is None
    assert rest.items[0].usage[0].usage.total_tokens > 0


async def test_a_run_whose_worker_never_was_is_ended_by_a_stop_and_by_the_next_message(
    app: Application, chat: ScriptedChat, database: Database
) -> None:
    chat.choose = answering
    first = await begin(app, "one")
    await all_of(first.entries)
    for end in ("stop", "message"):
        lost = new_id()
        await change(
            database,
            "INSERT INTO runs (id, session_id, user_id, workflow, status, raw_run_id, "
            "raw_thread_id, worker_id) VALUES (:id, :session, :user, 'chat', 'running', 'r', 't', "
            "'gone')",
            id=lost, session=first.session_id, user=USER.user_id,
        )  # fmt: skip
        if end == "stop":
            assert (await app.runs.cancel(USER, lost)).status == "cancelled"
        else:
            run = await begin(app, "two", first.session_id)
            await all_of(run.entries)
            assert (await app.runs.get(USER, lost)).status == "interrupted"
            assert (await app.runs.get(USER, run.run_id)).status == "succeeded"


async def test_an_own_run_is_not_taken_for_abandoned_when_the_workers_lock_is_lost(
    app: Application, database: Database
) -> None:
    run = await begin(app, "Take your time")
    await until_text(run.entries, "Half the ")
    await change(
        database,
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_locks WHERE locktype = 'advisory' "
        "AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
    )
    with pytest.raises(Conflict):
        await begin(app, "Meanwhile", run.session_id)
    assert (await app.runs.get(USER, run.run_id)).status == "running"
    assert (await app.runs.cancel(USER, run.run_id)).status == "cancelled"
    await assert_sound(database)
