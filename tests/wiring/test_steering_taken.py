"""What becomes of a message on its way into a run when either of them, or their process, ends."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest

from callsheet.db.transaction import Database
from callsheet.events.run import RunFinished, RunPaused
from callsheet.events.steered import Steered
from callsheet.journal.changes import RunKeys
from callsheet.journal.ended_beside import EndedBeside
from callsheet.journal.written import Fenced
from callsheet.kit.ids import new_id
from callsheet.llm.chat import ChatRequest
from callsheet.runs.lease import Lease
from callsheet.settings.settings import Settings
from callsheet.wiring.application import Application
from callsheet.wiring.hand_over import HandOver
from callsheet.wiring.stored_turn import load_turn
from tests.fakes.chat import Script, Wait, text
from tests.fakes.chat_script import EXECUTION, INTENT, ORGANIZATION
from tests.ledger.bookings import assert_sound
from tests.sessions.rows import rows
from tests.wiring.stage import (
    USER,
    all_of,
    application,
    begin,
    said_to,
    wish,
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
from tests.wiring.test_answered_elsewhere import answer, mailing

__all__ = ["app", "chat", "settings"]


async def test_a_run_that_was_taken_in_vain_begins_when_its_turn_comes(
    app: Application, chat: PacedChat, database: Database
) -> None:
    first = await begin(app, "One")
    await chat.until(1)
    second = await begin(app, "Two", first.session_id)
    core = app.core()
    [taken] = await core.steering.next((await load_turn(core, first.run_id)).turn)
    assert taken.run_id == str(second.run_id)
    assert await rows(database, "SELECT lease_epoch, behind FROM runs ORDER BY created_at") == [
        (0, False),
        (1, True),
    ]
    assert await core.recovery.sweep() == 0
    await app.runs.cancel(USER, first.run_id)
    chat.go.set()
    assert isinstance((await all_of(second.entries))[-1].event, RunFinished)
    assert await rows(database, SAID) == [("One",), ("Two",)]
    assert not core.jobs.has(second.run_id)
    await assert_sound(database)


async def test_a_message_for_another_workflow_is_not_for_this_run(
    settings: Settings, chat: PacedChat, database: Database, tmp_path: Path
) -> None:
    crews = tmp_path / "deployment" / "crews"
    shutil.copytree(crews / "chat", crews / "other")
    async with application(settings, chat) as app:
        await app.ready()
        first = await begin(app, "One")
        await chat.until(1)
        other = await app.chat.start(USER, "other", wish("Two", first.session_id), "t")
        third = await begin(app, "Three", first.session_id)
        chat.go.set()
        assert steered(await all_of(first.entries)) == []
        assert steered(await all_of(other.entries)) == []
        assert isinstance((await all_of(third.entries))[-1].event, RunFinished)
    assert await rows(database, SAID) == [("One",), ("Two",), ("Three",)]
    await assert_sound(database)


async def test_who_goes_on_with_the_run_knows_the_message_at_the_same_place(
    settings: Settings, chat: PacedChat, database: Database
) -> None:
    after = PacedChat(choose=counting)
    after.go.set()

    def holding(request: ChatRequest) -> Script:
        done = any(m["role"] == "tool" for m in request.messages)
        return [*text("Half the ")[:-1], Wait(600)] if done else counting(request)

    chat.choose = holding
    async with application(settings, after) as other:
        await other.ready()
        async with application(settings, chat, drain_s=0.1) as app:
            await app.ready()
            first = await begin(app, "One")
            await chat.until(1)
            second = await begin(app, "Two", first.session_id)
            chat.go.set()
            await chat.until(3)
            assert_taken_in(await all_of(second.entries), first.run_id)
            looking = asyncio.create_task(
                all_of((await other.runs.watch(USER, first.run_id)).entries)
            )
        whole = await looking
    assert_in_order(whole)
    assert steered(whole) == [("Two", "execution#1/work", 0)]
    assert after.told(INTENT) == []
    [again] = [each for each in after.requests if EXECUTION in said_to(each)]
    [asked] = [each for each in chat.requests if any(m["role"] == "tool" for m in each.messages)]
    assert [m["role"] for m in again.messages] == ["system", "user", "user", "assistant", "tool"]
    assert again.messages == asked.messages
    assert ["One\n\nTwo" in told for told in after.told(ORGANIZATION)] == [True]
    assert await rows(database, STATUS) == [("succeeded",), ("succeeded",)]
    await assert_sound(database)


async def test_what_a_dead_worker_had_only_taken_goes_into_the_run_elsewhere(
    settings: Settings, chat: PacedChat, database: Database
) -> None:
    after = PacedChat(choose=counting)
    after.go.set()
    full = settings.model_copy(
        update={"limits": settings.limits.model_copy(update={"concurrent_runs": 1})}
    )
    async with application(full, chat) as app, application(settings, after) as other:
        await app.ready()
        await other.ready()
        first = await begin(app, "One")
        await chat.until(1)
        second = await begin(app, "Two", first.session_id)
        core = app.core()
        assert await core.steering.next((await load_turn(core, first.run_id)).turn)
        hand_over = HandOver(other.core(), 3)
        assert await hand_over.of_dead(second.run_id, Lease(core.worker_id, 1))
        looking = await other.runs.watch(USER, first.run_id)
        assert await hand_over.of_dead(first.run_id, Lease(core.worker_id, 0))
        whole = await all_of(looking.entries)
        assert steered(whole) == [("Two", "intent#1/understand", 0)]
        assert_taken_in(await all_of(second.entries), first.run_id)
        assert ["Two" in told for told in after.told(INTENT)] == [True]
    assert await rows(database, SAID) == [("One",), ("Two",)]
    await assert_sound(database)


async def test_a_worker_that_has_lost_what_it_took_says_nothing_of_it(
    app: Application, chat: PacedChat, database: Database
) -> None:
    first = await begin(app, "One")
    await chat.until(1)
    second = await begin(app, "Two", first.session_id)
    core = app.core()
    session_id, user_id = first.session_id, USER.user_id
    journal = core.writer.open(RunKeys(first.run_id, session_id, user_id), stored_seq=50)
    lost = RunKeys(second.run_id, session_id, user_id, epoch=7, leads=False)
    stored: list[bool] = []
    journal.end_beside(EndedBeside(lost, (RunFinished(),), lambda: stored.append(True)))
    journal.append(
        Steered(
            run_id=str(second.run_id), message_id=str(new_id()), text="Two", path="p", iteration=0
        )
    )
    with pytest.raises(Fenced):
        await journal.stored()
    assert await rows(database, SAID) == [("One",)]
    assert await rows(database, "SELECT count(*) FROM run_events WHERE seq > 50") == [(0,)]
    assert stored == []
    await app.runs.cancel_session(USER, first.session_id)


async def test_what_went_into_a_run_that_waits_is_known_to_the_one_that_goes_on(
    app: Application, chat: PacedChat, database: Database
) -> None:
    chat.choose = mailing
    first = await begin(app, "Write to Ann")
    await chat.until(1)
    second = await begin(app, "Two", first.session_id)
    chat.go.set()
    whole = await all_of(first.entries)
    assert isinstance(whole[-1].event, RunPaused)
    assert [said for said, *_ in steered(whole)] == ["Two"]
    assert_taken_in(await all_of(second.entries), first.run_id)
    going_on = await answer(app, first.session_id, whole[-1].event)
    rest = await all_of(going_on.entries)
    assert isinstance(rest[-1].event, RunFinished)
    assert steered(rest) == []
    assert ["Two" in told for told in chat.told(EXECUTION)] == [True, True]
    await assert_sound(database)
