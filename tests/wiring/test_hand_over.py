"""A process that ends lets others go on with its runs: at once, or when the next one starts."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from callsheet.db.transaction import Database
from callsheet.events.call import AnswerFinished
from callsheet.events.entry import Entry
from callsheet.events.order import OrderChecker
from callsheet.events.run import RunFinished
from callsheet.runs.lease import Lease
from callsheet.wiring.hand_over import HandOver
from tests.fakes.chat import ScriptedChat
from tests.fakes.chat_script import INTENT
from tests.ledger.bookings import assert_sound
from tests.sessions.rows import change, rows
from tests.wiring.stage import (
    USER,
    all_of,
    answering,
    application,
    begin,
    hanging,
    said_to,
    settings_of,
    until_text,
)


def assert_whole(seen: Sequence[Entry]) -> None:
    order = OrderChecker()
    for entry in seen:
        order.check(entry.event)
    assert [entry.seq for entry in seen] == list(range(1, len(seen) + 1))
    assert isinstance(seen[-1].event, RunFinished)
    answers = [e.event for e in seen if isinstance(e.event, AnswerFinished)]
    assert [a.text for a in answers if a.status == "discarded"] == ["Half the "]


async def test_a_run_that_does_not_end_in_time_is_gone_on_with_by_the_next_start(
    tmp_path: Path, database: Database, database_url: str
) -> None:
    settings = settings_of(tmp_path, database_url)
    before, after = ScriptedChat(choose=hanging), ScriptedChat(choose=answering)
    async with application(settings, before, drain_s=0.1) as app:
        await app.ready()
        run = await begin(app, "Take your time")
        await until_text(run.entries, "Half the ")
    assert before.open == 0
    assert await rows(database, "SELECT status, worker_id, take_overs FROM runs") == [
        ("running", None, 0)
    ]
    assert await rows(database, "SELECT count(*) FROM workers") == [(0,)]
    async with application(settings, after) as app:
        await app.ready()
        assert_whole(await all_of((await app.runs.watch(USER, run.run_id)).entries))
    assert not any(INTENT in said_to(request) for request in after.requests)
    assert await rows(database, "SELECT status FROM runs") == [("succeeded",)]
    assert await rows(database, "SELECT count(*) FROM llm_calls WHERE status = 'open'") == [(0,)]
    await assert_sound(database)


async def test_another_worker_goes_on_at_once(
    tmp_path: Path, database: Database, database_url: str
) -> None:
    settings = settings_of(tmp_path, database_url)
    before, after = ScriptedChat(choose=hanging), ScriptedChat(choose=answering)
    async with application(settings, after) as other:
        await other.ready()
        async with application(settings, before, drain_s=0.1) as app:
            await app.ready()
            run = await begin(app, "Take your time")
            await until_text(run.entries, "Half the ")
            looking = asyncio.create_task(
                all_of((await other.runs.watch(USER, run.run_id)).entries)
            )
        assert_whole(await looking)
        assert await rows(database, "SELECT worker_id FROM runs") == [(other.core().worker_id,)]
    await assert_sound(database)


async def test_who_looks_on_where_the_run_was_lost_sees_it_to_its_end(
    tmp_path: Path, database: Database, database_url: str
) -> None:
    settings = settings_of(tmp_path, database_url)
    full = settings_of(tmp_path, database_url, limits={"concurrent_runs": 1})
    before, after = ScriptedChat(choose=hanging), ScriptedChat(choose=answering)
    async with application(full, before) as app, application(settings, after) as other:
        await app.ready()
        await other.ready()
        run = await begin(app, "Take your time")
        looking = asyncio.create_task(all_of((await app.runs.watch(USER, run.run_id)).entries))
        await until_text(run.entries, "Half the ")
        assert await HandOver(other.core(), 3).of_dead(run.run_id, Lease(app.core().worker_id, 0))
        seen = await looking
        assert_whole(seen)
        assert await rows(database, "SELECT worker_id, take_overs FROM runs") == [
            (other.core().worker_id, 1)
        ]
        assert (before.open, app.core().jobs.has(run.run_id)) == (0, False)
    await assert_sound(database)


async def test_a_process_that_lost_a_run_without_noticing_may_be_the_one_that_gets_it(
    tmp_path: Path, database: Database, database_url: str
) -> None:
    settings = settings_of(tmp_path, database_url)
    chat = ScriptedChat(choose=hanging)
    async with application(settings, chat) as app, application(settings, kind="api") as other:
        await app.ready()
        await other.ready()
        run = await begin(app, "Take your time")
        await until_text(run.entries, "Half the ")
        chat.choose = answering
        assert await HandOver(other.core(), 3).of_dead(run.run_id, Lease(app.core().worker_id, 0))
        assert_whole(await all_of((await app.runs.watch(USER, run.run_id)).entries))
        assert chat.open == 0
    await assert_sound(database)


async def test_a_command_leaves_the_dead_to_the_workers_and_ends_them_where_there_are_none(
    tmp_path: Path, database: Database, database_url: str
) -> None:
    settings = settings_of(tmp_path, database_url)
    dead, seen = "UPDATE runs SET worker_id = 'dead', status = 'running'", Lease("dead", 0)
    async with application(settings, kind="command") as command:
        await command.ready()
        run = await begin(command, "Hello")
        await all_of(run.entries)
        await change(database, dead)
        hand_over = HandOver(command.core(), 3)
        assert not await hand_over.of_dead(run.run_id, seen)
        async with application(settings, kind="api") as api:
            await api.ready()
            assert not await hand_over.of_dead(run.run_id, seen)
        async with application(settings, kind="worker") as worker:
            await worker.ready()
            assert await hand_over.of_dead(run.run_id, seen)
            assert not await HandOver(worker.core(), 0).of_dead(run.run_id, seen)
