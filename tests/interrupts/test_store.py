"""Interrupts in the database: stored with the pause, answered once, closed, expired, listed."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

import pytest

from callsheet.db.transaction import Database
from callsheet.events.interrupt import Interrupt
from callsheet.events.run import RunPaused, RunStarted
from callsheet.interrupts.answer import Answer
from callsheet.interrupts.interrupt import InterruptRecord
from callsheet.interrupts.store import (
    answer,
    answered_for,
    close,
    expired,
    find_interrupt,
    list_open,
    of_session,
)
from callsheet.kit.clock import SystemClock
from callsheet.kit.ids import new_id
from callsheet.kit.pages import PageRequest
from callsheet.runs.store import run_by_id
from tests.journal.stage import USER, Admitted, admitted, gate, wish
from tests.journal.test_writer import writing
from tests.sessions.rows import rows

SOON = SystemClock().now() + timedelta(hours=1)


def asked(tool_call_id: str = "c", minutes: int = 60) -> Interrupt:
    return Interrupt(
        interrupt_id=str(new_id()),
        reason="question",
        message="Which colour?",
        expires_at=SystemClock().now() + timedelta(minutes=minutes),
        tool_call_id=tool_call_id,
        tool="ask_user",
        response_schema={"type": "object"},
        detail={"questions": [{"question": "世界?"}]},
    )


async def paused(database_url: str, run: Admitted, *interrupts: Interrupt) -> None:
    async with writing(database_url, []) as writer:
        log = writer.open(run.keys)
        log.append(RunStarted(workflow="chat", revision="r", session_id="s", trace_id="t"))
        log.append(RunPaused(interrupts=interrupts))
        await log.stored()


async def one(database: Database, interrupt: Interrupt) -> InterruptRecord:
    async with database.read() as tx:
        found = await find_interrupt(tx, UUID(interrupt.interrupt_id), USER.user_id)
    assert found is not None
    return found


async def test_a_pause_is_stored_with_all_that_is_asked(
    database: Database, database_url: str
) -> None:
    run, first, second = await admitted(database), asked("c1"), asked("c2")
    await paused(database_url, run, first, second)

    found = await one(database, second)
    assert (found.run_id, found.session_id, found.place) == (
        run.keys.run_id, run.keys.session_id, 1,
    )  # fmt: skip
    assert (found.reason, found.message, found.tool_call_id, found.tool) == (
        "question", "Which colour?", "c2", "ask_user",
    )  # fmt: skip
    assert found.response_schema == {"type": "object"}
    assert found.detail == {"questions": [{"question": "世界?"}]}
    assert (found.status, found.answer_status, found.payload) == ("open", None, None)
    async with database.read() as tx:
        stored = await run_by_id(tx, run.keys.run_id)
        assert await find_interrupt(tx, found.id, new_id()) is None
    assert stored is not None
    assert (stored.status, stored.finished_at) == ("waiting_input", None)
    assert await rows(database, "SELECT status FROM sessions") == [("running",)]


async def test_open_ones_are_listed_in_pages_newest_first(
    database: Database, database_url: str
) -> None:
    run = await admitted(database)
    each = [asked(str(number)) for number in range(3)]
    await paused(database_url, run, *each, asked("late", minutes=-1))
    seen: list[UUID] = []
    cursor: str | None = None
    while True:
        async with database.read() as tx:
            page = await list_open(tx, USER.user_id, run.keys.session_id, PageRequest(2, cursor))
            assert (await list_open(tx, USER.user_id, new_id(), PageRequest())).items == ()
            assert (await list_open(tx, new_id(), None, PageRequest())).items == ()
        seen += [record.id for record in page.items]
        cursor = page.next_cursor
        if cursor is None:
            break
    assert seen == sorted((UUID(interrupt.interrupt_id) for interrupt in each), reverse=True)


@pytest.mark.parametrize("payload", [None, {"text": "红"}, "red", [1, 2.5]])
async def test_an_answer_is_kept_with_the_run_that_goes_on(
    database: Database, database_url: str, payload: object
) -> None:
    run, question = await admitted(database), asked()
    await paused(database_url, run, question)
    going_on = (await gate(database).admit(wish(new_id()))).run_id
    given = {UUID(question.interrupt_id): Answer("resolved", payload)}
    async with database.transaction() as tx:
        await answer(tx, given, USER.user_id, going_on)
    async with database.transaction() as tx:
        await answer(
            tx, {UUID(question.interrupt_id): Answer("cancelled")}, USER.user_id, run.keys.run_id
        )

    async with database.read() as tx:
        [record] = await answered_for(tx, [going_on])
        assert await of_session(tx, run.keys.session_id) == []
        assert await of_session(tx, run.keys.session_id, ids=[record.id]) == [record]
        assert await of_session(tx, run.keys.session_id, calls=["c"]) == [record]
    assert (record.status, record.answer_status, record.payload) == (
        "answered", "resolved", payload,
    )  # fmt: skip
    assert (record.answered_by, record.answered_run_id) == (USER.user_id, going_on)


async def test_what_nobody_can_answer_any_more_is_closed(
    database: Database, database_url: str
) -> None:
    run, question = await admitted(database), asked()
    await paused(database_url, run, question)
    async with database.transaction() as tx:
        await close(tx, run.keys.run_id)
    assert (await one(database, question)).status == "closed"


async def test_runs_whose_answers_come_too_late_are_found(
    database: Database, database_url: str
) -> None:
    run, question = await admitted(database), asked()
    await paused(database_url, run, question)
    async with database.read() as tx:
        assert await expired(tx, question.expires_at - timedelta(seconds=1), 10) == []
        found = await expired(tx, question.expires_at, 10)
    assert found == [(run.keys.run_id, run.keys.session_id)]
