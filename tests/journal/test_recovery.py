"""A run whose process is gone is ended from its journal: booked, closed, with its text kept."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from decimal import Decimal
from uuid import UUID

from sqlalchemy import text

from callsheet.db.transaction import Database, Read
from callsheet.events.call import LlmCallFinished
from callsheet.events.order import OrderChecker
from callsheet.events.run import RunFailed, RunStarted
from callsheet.events.stage import StageStarted
from callsheet.events.text import TextDelta, TextStarted
from callsheet.journal.recovery import Recovery
from callsheet.kit.clock import SystemClock
from callsheet.kit.ids import new_id
from callsheet.ledger.price.book import PriceBook
from callsheet.ledger.price.store import load_prices
from callsheet.runs.event_store import read_events
from callsheet.runs.worker_locks import WorkerLock
from callsheet.turn.recorder import Recorder
from callsheet.turn.run_meter import RunMeter
from tests.fakes.spool import NoSpool
from tests.fixtures.booked import change
from tests.journal.intents import intent_for
from tests.journal.stage import admitted, end_run, recovery_of
from tests.journal.test_writer import Shown, admitted_again, assert_audited, rows, writing
from tests.sessions.rows import rows as query


async def test_an_abandoned_run_is_ended_and_booked(database: Database, database_url: str) -> None:
    run = await admitted(database)
    shown: Shown = []
    async with database.read() as tx:
        prices = PriceBook(await load_prices(tx))
    async with writing(database_url, shown) as writer:
        log = writer.open(run.keys)
        recorder = Recorder(log)
        recorder.emit(RunStarted(workflow="chat", revision="r", session_id="s", trace_id="t"))
        recorder.emit(StageStarted(stage="execution"))
        message_id = str(new_id())
        intent = intent_for(message_id)
        await RunMeter(prices, log, recorder.emit, SystemClock()).open(intent)
        recorder.emit(TextStarted(message_id=message_id, agent_run_id="a", visible=True))
        recorder.emit(TextDelta(message_id=message_id, text="Half an answer"))
        await log.stored()
    async with writing(database_url, shown) as writer:
        recovery = recovery_of(database, writer, "w2", NoSpool())
        async with WorkerLock(database, "w1"):
            assert await recovery.sweep() == 0
        assert await recovery.sweep() == 1
        assert await recovery.sweep() == 0
        await end_run(recovery, database, run.keys.run_id)
    async with database.read() as tx:
        stored = await read_events(tx, run.keys.run_id, 0, 100)
    order = OrderChecker()
    for entry in stored:
        order.check(entry.event)
    assert order.ended
    assert isinstance(stored[-1].event, RunFailed)
    assert stored[-1].event.code == "worker_died"
    (settled,) = [e.event for e in stored if isinstance(e.event, LlmCallFinished)]
    assert settled.status == "orphaned"
    (used,) = stored[-1].event.usage
    assert (used.model, used.usage) == ("m", settled.metered.usage)
    assert settled.metered.usage.input_tokens == 50
    assert 1 <= settled.metered.usage.output_tokens <= 6
    assert await rows(database, "SELECT status, error_code FROM runs") == [
        ("interrupted", "worker_died")
    ]
    assert await rows(
        database, "SELECT content, metadata->>'status' FROM messages WHERE role = 'assistant'"
    ) == [("Half an answer", "partial")]
    assert await rows(database, "SELECT status FROM sessions") == [("failed",)]
    (booked,) = await rows(database, "SELECT cost_exact, usage_source FROM llm_calls")
    assert booked[1] == "estimated"
    assert isinstance(booked[0], Decimal)
    assert booked[0] > 0
    await assert_audited(database)


async def test_a_run_that_never_began_is_ended_too(database: Database, database_url: str) -> None:
    run = await admitted(database)
    shown: Shown = []
    async with writing(database_url, shown) as writer:
        assert await recovery_of(database, writer, "w2", NoSpool()).sweep() == 1
    async with database.read() as tx:
        stored = await read_events(tx, run.keys.run_id, 0, 100)
    assert [type(entry.event) for entry in stored] == [RunStarted, RunFailed]
    async with database.read() as tx:
        assert (await tx.execute(text("SELECT status FROM runs"))).scalar_one() == "interrupted"


async def test_a_journal_that_cannot_be_read_keeps_no_other_run_from_its_end(
    database: Database, database_url: str
) -> None:
    broken, other = await admitted(database), await admitted_again(database)
    await change(
        database,
        "INSERT INTO run_events (run_id, seq, at, event) "
        "VALUES (:id, 1, now(), jsonb_build_object('kind', 'of a later version'))",
        {"id": broken.keys.run_id},
    )
    shown: Shown = []
    async with writing(database_url, shown) as writer:
        assert await recovery_of(database, writer, "w2", NoSpool()).sweep() == 2
    assert await rows(database, "SELECT id, status FROM runs ORDER BY id") == sorted(
        [(broken.keys.run_id, "queued"), (other.keys.run_id, "interrupted")]
    )


async def test_a_run_that_its_own_process_does_not_work_on_is_ended_and_another_is_left(
    database: Database, database_url: str
) -> None:
    """Let in, and lost before it began: the connection broke as it was committed."""
    lost, under_way = await admitted(database), await admitted_again(database)
    async with writing(database_url, []) as writer:
        own = {under_way.keys.run_id}
        one = Recovery(database, writer, "w1", NoSpool(), own.__contains__)
        assert await one.sweep() == 1
    assert await rows(database, "SELECT id, status FROM runs ORDER BY id") == sorted(
        [(lost.keys.run_id, "interrupted"), (under_way.keys.run_id, "queued")]
    )


class Looked(Database):
    """Says when it has been read."""

    @asynccontextmanager
    async def read(self) -> AsyncIterator[Read]:
        async with super().read() as tx:
            yield tx
        self.looked.set()

    looked: asyncio.Event


async def test_a_process_that_comes_back_in_time_keeps_its_runs(
    database: Database, database_url: str
) -> None:
    run = await admitted(database)
    seen = Looked(database.engine)
    seen.looked = asyncio.Event()
    async with writing(database_url, []) as writer:
        one = recovery_of(seen, writer, "w2", NoSpool())
        sweeping = asyncio.create_task(one.sweep(sure_after_s=0.5))
        await seen.looked.wait()
        async with WorkerLock(database, "w1"):
            assert await sweeping == 0
    assert await rows(database, "SELECT id, status FROM runs") == [(run.keys.run_id, "queued")]


async def test_runs_are_swept_at_once_and_again(database: Database, database_url: str) -> None:
    first = await admitted(database)
    status = "SELECT status FROM runs WHERE id = :id"

    async def until_ended(run_id: UUID) -> None:
        async with asyncio.timeout(20):
            while await query(database, status, id=run_id) != [("interrupted",)]:
                await asyncio.sleep(0.01)

    async with writing(database_url, []) as writer:
        one = recovery_of(database, writer, "w2", NoSpool())
        watching = asyncio.create_task(one.watch(every_s=0.01, sure_after_s=0.01))
        await until_ended(first.keys.run_id)
        second = await admitted_again(database)
        await until_ended(second.keys.run_id)
        watching.cancel()
