"""A message that comes while a run is active is answered after it, where that is set."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from callsheet.db.transaction import Database
from callsheet.events.run import RunCancelled, RunFinished, RunPaused
from callsheet.kit.errors import Conflict
from callsheet.llm.chat import ChatRequest
from callsheet.runs.lease import Lease
from callsheet.runs.lease_store import take_over
from callsheet.runs.worker_locks import WorkerLock
from callsheet.wiring.application import Application
from callsheet.wiring.expiry import Expiry
from tests.fakes.chat import HeldChat, Script, ScriptedChat
from tests.fakes.deployment import make_deployment
from tests.ledger.bookings import assert_sound
from tests.sessions.rows import change, rows
from tests.wiring.stage import (
    NOWHERE,
    USER,
    all_of,
    answering,
    application,
    begin,
    hanging,
    said_to,
    settings_of,
    until_text,
    wish,
)
from tests.wiring.test_answered_elsewhere import mailing


@pytest.fixture
def chat() -> HeldChat:
    chat = HeldChat(choose=hanging)
    chat.go.set()
    return chat


@pytest.fixture
async def app(tmp_path: Path, database_url: str, chat: ScriptedChat) -> AsyncIterator[Application]:
    deployment = make_deployment(tmp_path / "deployment", NOWHERE)
    deployment.edit(
        "crews/chat/workflow.yaml", "timeout_s: 600", "timeout_s: 600\nwhen_busy: queue"
    )
    async with application(settings_of(tmp_path, database_url), chat) as app:
        await app.ready()
        yield app


async def test_runs_begin_one_after_another_in_the_order_in_which_they_came(
    app: Application, chat: ScriptedChat, database: Database
) -> None:
    first = await begin(app, "One")
    await until_text(first.entries, "Half the ")
    second = await begin(app, "Two", first.session_id)
    third = await begin(app, "Three", first.session_id)
    for run in (second, third):
        assert (await app.runs.get(USER, run.run_id)).status == "queued"
    assert (await app.sessions.get(USER, first.session_id)).status == "running"
    chat.choose = answering
    await app.runs.cancel(USER, first.run_id)
    for run in (second, third):
        assert isinstance((await all_of(run.entries))[-1].event, RunFinished)
    assert await rows(database, "SELECT id FROM runs ORDER BY started_at") == [
        (run.run_id,) for run in (first, second, third)
    ]
    assert await rows(
        database, "SELECT content FROM messages WHERE role = 'user' ORDER BY seq"
    ) == [
        ("One",),
        ("Two",),
        ("Three",),
    ]
    assert (await app.sessions.get(USER, first.session_id)).status == "completed"
    await assert_sound(database)


async def test_what_was_answered_meanwhile_is_said_before_the_message_that_waited(
    app: Application, chat: ScriptedChat, database: Database
) -> None:
    asked: list[str] = []

    def choose(request: ChatRequest) -> Script:
        asked.append(said_to(request))
        return answering(request)

    chat.choose = choose
    first = await begin(app, "One")
    second = await begin(app, "Two", first.session_id)
    await all_of(first.entries)
    await all_of(second.entries)
    assert await rows(
        database,
        "SELECT content FROM messages WHERE role = 'user' OR metadata->>'visible' = 'true' "
        "ORDER BY seq",
    ) == [("One",), ("Here is your answer.",), ("Two",), ("Here is your answer.",)]
    assert any("Here is your answer." in said and "Two" in said for said in asked)
    await assert_sound(database)


async def test_a_run_that_waits_behind_is_stopped_alone_and_with_its_session(
    app: Application, database: Database
) -> None:
    first = await begin(app, "One")
    await until_text(first.entries, "Half the ")
    second = await begin(app, "Two", first.session_id)
    third = await begin(app, "Three", first.session_id)
    assert (await app.runs.cancel(USER, second.run_id)).status == "cancelled"
    assert isinstance((await all_of(second.entries))[-1].event, RunCancelled)
    assert (await app.sessions.get(USER, first.session_id)).status == "running"
    stopped = await app.runs.cancel_session(USER, first.session_id)
    assert stopped is not None
    assert stopped.id == first.run_id
    assert await rows(database, "SELECT DISTINCT status FROM runs") == [("cancelled",)]
    assert isinstance((await all_of(third.entries))[-1].event, RunCancelled)
    await app.sessions.delete(USER, first.session_id)
    await assert_sound(database)


async def test_an_edit_of_an_earlier_message_does_not_wait(app: Application) -> None:
    said = wish("One")
    first = await app.chat.start(USER, None, said, "t")
    await until_text(first.entries, "Half the ")
    edited = replace(wish("Edited", said.session_id), message_id=said.message_id)
    with pytest.raises(Conflict) as active:
        await app.chat.start(USER, None, edited, "t")
    assert active.value.extra["runId"] == str(first.run_id)
    await app.runs.cancel_session(USER, first.session_id)


async def test_what_was_not_called_up_is_found_by_looking(
    app: Application, chat: ScriptedChat, database: Database
) -> None:
    first = await begin(app, "One")
    await until_text(first.entries, "Half the ")
    second = await begin(app, "Two", first.session_id)
    chat.choose = answering
    expires = "SELECT extract(epoch FROM expires_at - now()) FROM runs WHERE id = :id"
    assert await rows(database, expires, id=second.run_id) == [(None,)]
    await change(database, "UPDATE runs SET status = 'failed' WHERE id = :id", id=first.run_id)
    await Expiry(app.core()).call_up()
    [(left_s,)] = await rows(database, expires, id=second.run_id)
    assert 0 < left_s <= app.settings.limits.waiting_s
    assert isinstance((await all_of(second.entries))[-1].event, RunFinished)
    await app.core().jobs.cancel(first.run_id, "user")


async def test_a_run_that_is_being_stopped_is_not_called_up_meanwhile(
    app: Application, chat: ScriptedChat, database: Database
) -> None:
    first = await begin(app, "One")
    await until_text(first.entries, "Half the ")
    second = await begin(app, "Two", first.session_id)
    third = await begin(app, "Three", first.session_id)
    async with WorkerLock(database, "w-other"):
        async with database.transaction() as tx:
            stopping = await take_over(tx, second.run_id, Lease(None, 0), "w-other")
        assert stopping is not None
        chat.choose = answering
        await app.runs.cancel(USER, first.run_id)
        assert isinstance((await all_of(third.entries))[-1].event, RunFinished)
        await app.core().recovery.end(second.run_id, stopping, RunCancelled(reason="user"))
    assert isinstance((await all_of(second.entries))[-1].event, RunCancelled)
    said = await rows(database, "SELECT content FROM messages WHERE role = 'user' ORDER BY seq")
    assert said == [("One",), ("Three",)]
    assert (await app.sessions.get(USER, first.session_id)).status == "completed"
    await assert_sound(database)


async def test_what_is_behind_a_run_that_waits_begins_when_that_one_is_stopped(
    app: Application, chat: HeldChat, database: Database
) -> None:
    chat.choose = mailing
    chat.go.clear()
    first = await begin(app, "Write to Ann")
    second = await begin(app, "Two", first.session_id)
    chat.go.set()
    assert isinstance((await all_of(first.entries))[-1].event, RunPaused)
    chat.choose = answering
    behind = "SELECT behind FROM runs ORDER BY created_at"
    assert await rows(database, behind) == [(False,), (True,)]
    assert (await app.runs.cancel(USER, first.run_id)).status == "cancelled"
    assert await rows(database, behind) == [(False,), (False,)]
    assert isinstance((await all_of(second.entries))[-1].event, RunFinished)
    await assert_sound(database)
