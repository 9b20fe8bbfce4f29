"""A run that another process has taken is written from there alone, and its money is right."""

from __future__ import annotations

from pathlib import Path

import pytest

from callsheet.db.transaction import Database
from callsheet.events.call import LlmCallFinished
from callsheet.events.run import RunFailed, RunStarted
from callsheet.events.text import TextDelta, TextStarted
from callsheet.events.usage import MeteredUsage, Usage
from callsheet.journal.run_log import JournaledRun
from callsheet.journal.spool import DiskSpool
from callsheet.journal.writer import JournalWriter
from callsheet.journal.written import Fenced
from callsheet.kit.clock import SystemClock
from callsheet.kit.ids import new_id
from callsheet.ledger.price.book import PriceBook
from callsheet.ledger.price.store import load_prices
from callsheet.runs.event_store import read_events
from callsheet.runs.lease import Lease
from callsheet.turn.meter import CallEnd, CallIntent, OpenCall
from callsheet.turn.recorder import Recorder
from callsheet.turn.run_meter import RunMeter
from tests.fakes.spool import NoSpool
from tests.journal.stage import Admitted, admitted, end_run, recovery_of, take
from tests.journal.test_writer import BEGIN, Shown, admitted_again, assert_audited, rows, writing


async def begun(
    database: Database, writer: JournalWriter, run: Admitted
) -> tuple[JournaledRun, RunMeter, OpenCall]:
    """The run with half of an answer."""
    async with database.read() as tx:
        prices = PriceBook(await load_prices(tx))
    log = writer.open(run.keys)
    recorder = Recorder(log)
    meter = RunMeter(prices, log, recorder.emit, SystemClock())
    recorder.emit(RunStarted(workflow="chat", revision="r", session_id="s", trace_id="t"))
    message_id = str(new_id())
    call = await meter.open(
        CallIntent(
            message_id=message_id,
            agent_run_id="a",
            stage="execution",
            agent="worker",
            task="work",
            factory="f",
            model="m",
            attempt=1,
            visible=True,
            estimated_input_tokens=50,
            max_output_tokens=100,
        )
    )
    recorder.emit(TextStarted(message_id=message_id, agent_run_id="a", visible=True))
    recorder.emit(TextDelta(message_id=message_id, text="Half an answer"))
    await recorder.stored()
    return log, meter, call


async def test_a_taken_run_is_refused_alone_and_whoever_works_on_it_is_told_at_once(
    database: Database, database_url: str
) -> None:
    taken, other = await admitted(database), await admitted_again(database)
    shown: Shown = []
    told: list[str] = []
    async with writing(database_url, shown) as writer:
        ours, theirs = writer.open(other.keys), writer.open(taken.keys)
        theirs.when_taken(lambda: told.append("taken"))
        await take(database, taken)
        theirs.append(BEGIN)
        ours.append(BEGIN)
        await ours.stored()
        with pytest.raises(Fenced):
            await theirs.stored()
        with pytest.raises(Fenced):
            theirs.append(BEGIN)
    assert told == ["taken"]
    assert await rows(database, "SELECT run_id, seq FROM run_events") == [(other.keys.run_id, 1)]
    assert [run_id for run_id, _ in shown] == [other.keys.run_id]
    assert await rows(database, f"SELECT status FROM runs WHERE id = '{taken.keys.run_id}'") == [
        ("queued",)
    ]


async def test_what_the_old_worker_measured_is_booked_late_and_nothing_else_of_it_lands(
    database: Database, database_url: str, tmp_path: Path
) -> None:
    run = await admitted(database)
    spool = DiskSpool(tmp_path)
    async with writing(database_url, [], spool=spool) as frozen:
        log, meter, call = await begun(database, frozen, run)
        async with writing(database_url, []) as writer:
            assert await end_run(
                recovery_of(database, writer, "w2", NoSpool()), database, run.keys.run_id
            )
        ended = await rows(database, "SELECT seq FROM run_events ORDER BY seq")
        metered = MeteredUsage(
            usage=Usage(input_tokens=200, output_tokens=40), source="provider", raw={"n": 1}
        )
        call.close(CallEnd(status="settled", metered=metered))
        with pytest.raises(Fenced):
            await log.stored()
        assert [*await spool.of(run.keys.run_id)] == [call.call_id]
        del meter
        await recovery_of(database, frozen, "w1", spool).book_late()
    assert await rows(database, "SELECT seq FROM run_events ORDER BY seq") == ended
    async with database.read() as tx:
        entries = await read_events(tx, run.keys.run_id, 0, 100)
    assert isinstance(entries[-1].event, RunFailed)
    (settled,) = [e.event for e in entries if isinstance(e.event, LlmCallFinished)]
    assert settled.status == "orphaned"
    # 200 x 1 + 40 x 3 millionths is what it cost
    assert await rows(
        database,
        "SELECT round((c.cost_exact + a.amount) * 1000000) FROM llm_calls c "
        "JOIN cost_adjustments a ON a.call_id = c.id",
    ) == [(320,)]
    await assert_audited(database)


async def test_of_two_processes_that_end_the_same_run_one_writes(
    database: Database, database_url: str
) -> None:
    run = await admitted(database)
    async with writing(database_url, []) as one, writing(database_url, []) as two:
        first = recovery_of(database, one, "w2", NoSpool())
        second = recovery_of(database, two, "w3", NoSpool())
        seen = Lease("w1", 0)
        assert await first.end(run.keys.run_id, seen)
        assert await second.end(run.keys.run_id, seen)  # it has ended, by somebody else
    assert await rows(database, "SELECT status, worker_id, lease_epoch FROM runs") == [
        ("interrupted", "w2", 1)
    ]
    assert len(await rows(database, "SELECT seq FROM run_events")) == 2
