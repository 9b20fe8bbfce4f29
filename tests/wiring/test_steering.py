"""A message that comes while a run is active goes into it, where that is set."""

from __future__ import annotations

from callsheet.db.transaction import Database
from callsheet.events.run import RunCancelled, RunFinished
from callsheet.llm.chat import ChatRequest
from callsheet.runs.lease import Lease
from callsheet.runs.lease_store import take_over
from callsheet.runs.worker_locks import WorkerLock
from callsheet.wiring.application import Application
from tests.fakes.chat import Script
from tests.fakes.chat_script import EXECUTION, INTENT, ORGANIZATION
from tests.ledger.bookings import assert_sound
from tests.sessions.rows import rows
from tests.wiring.stage import (
    USER,
    all_of,
    answering,
    begin,
)
from tests.wiring.steered import (
    SAID,
    STATUS,
    PacedChat,
    app,
    assert_in_order,
    assert_taken_in,
    chat,
    counting,
    settings,
    steered,
)

__all__ = ["app", "chat", "settings"]


async def test_a_message_goes_into_the_next_question_and_all_that_follow(
    app: Application, chat: PacedChat, database: Database
) -> None:
    first = await begin(app, "One")
    await chat.until(1)
    second = await begin(app, "Two", first.session_id)
    chat.go.set()
    whole = await all_of(first.entries)
    assert_in_order(whole)
    assert steered(whole) == [("Two", "execution#1/work", 0)]
    assert_taken_in(await all_of(second.entries), first.run_id)
    assert [("Two" in told) for told in chat.told(INTENT)] == [False]
    assert [told.count("Two") for told in chat.told(EXECUTION)] == [1, 1]
    assert ["One\n\nTwo" in told for told in chat.told(ORGANIZATION)] == [True]
    assert await rows(
        database,
        "SELECT content FROM messages WHERE role = 'user' OR metadata->>'visible' = 'true' "
        "ORDER BY seq",
    ) == [("One",), ("Two",), ("Here is your answer.",)]
    assert await rows(database, STATUS) == [("succeeded",), ("succeeded",)]
    [row] = await rows(
        database,
        "SELECT r.input ? 'said', m.content, r.revision = f.revision, r.finished_at IS NULL "
        "FROM runs r JOIN messages m ON m.id = r.user_message_id, runs f "
        "WHERE r.id = :id AND f.id = :first",
        id=second.run_id,
        first=first.run_id,
    )
    assert row == (False, "Two", True, False)
    session = await app.sessions.get(USER, first.session_id)
    assert (session.status, app.core().jobs.has(second.run_id)) == ("completed", False)
    await assert_sound(database)


async def test_several_go_in_together_in_the_order_in_which_they_came(
    app: Application, chat: PacedChat, database: Database
) -> None:
    first = await begin(app, "One")
    await chat.until(1)
    second = await begin(app, "Two", first.session_id)
    third = await begin(app, "Three", first.session_id)
    chat.go.set()
    whole = await all_of(first.entries)
    assert [said for said, *_ in steered(whole)] == ["Two", "Three"]
    for run in (second, third):
        assert_taken_in(await all_of(run.entries), first.run_id)
    [written] = chat.told(ORGANIZATION)
    assert "One\n\nTwo\n\nThree" in written
    assert await rows(database, SAID) == [("One",), ("Two",), ("Three",)]
    assert (await app.sessions.get(USER, first.session_id)).message_count == await _count(database)
    await assert_sound(database)


async def _count(database: Database) -> int:
    [(count,)] = await rows(database, "SELECT count(*) FROM messages WHERE deleted_at IS NULL")
    return int(count)


async def test_what_comes_too_late_is_answered_next(
    app: Application, chat: PacedChat, database: Database
) -> None:
    def closing(request: ChatRequest) -> Script:
        if len(chat.requests) == 3:  # the next answer is the last one
            chat.go.clear()
        return counting(request)

    chat.choose = closing
    chat.go.set()
    first = await begin(app, "One")
    await chat.until(4)
    second = await begin(app, "Two", first.session_id)
    chat.choose = answering
    chat.go.set()
    assert steered(await all_of(first.entries)) == []
    ended = (await all_of(second.entries))[-1].event
    assert isinstance(ended, RunFinished)
    assert ended.steered_run_id is None
    assert await rows(database, SAID) == [("One",), ("Two",)]
    assert "Here is your answer." in chat.told(EXECUTION)[-1]
    await assert_sound(database)


async def test_what_was_stopped_while_it_waited_goes_nowhere(
    app: Application, chat: PacedChat, database: Database
) -> None:
    first = await begin(app, "One")
    await chat.until(1)
    second = await begin(app, "Two", first.session_id)
    third = await begin(app, "Three", first.session_id)
    assert (await app.runs.cancel(USER, second.run_id)).status == "cancelled"
    chat.go.set()
    assert [said for said, *_ in steered(await all_of(first.entries))] == ["Three"]
    assert isinstance((await all_of(second.entries))[-1].event, RunCancelled)
    assert_taken_in(await all_of(third.entries), first.run_id)
    assert await rows(database, SAID) == [("One",), ("Three",)]
    await assert_sound(database)


async def test_what_is_being_stopped_elsewhere_goes_nowhere(
    app: Application, chat: PacedChat, database: Database
) -> None:
    first = await begin(app, "One")
    await chat.until(1)
    second = await begin(app, "Two", first.session_id)
    async with WorkerLock(database, "w-other"):
        async with database.transaction() as tx:
            stopping = await take_over(tx, second.run_id, Lease(None, 0), "w-other")
        assert stopping is not None
        chat.go.set()
        assert steered(await all_of(first.entries)) == []
        await app.core().recovery.end(second.run_id, stopping, RunCancelled(reason="user"))
    assert await rows(database, SAID) == [("One",)]
    await assert_sound(database)


async def test_where_the_active_run_is_stopped_the_next_one_begins(
    app: Application, chat: PacedChat, database: Database
) -> None:
    first = await begin(app, "One")
    await chat.until(1)
    second = await begin(app, "Two", first.session_id)
    assert (await app.runs.cancel(USER, first.run_id)).status == "cancelled"
    chat.go.set()
    ended = (await all_of(second.entries))[-1].event
    assert isinstance(ended, RunFinished)
    assert ended.steered_run_id is None
    assert await rows(database, SAID) == [("One",), ("Two",)]
    await assert_sound(database)
