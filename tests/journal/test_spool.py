"""What was measured while the database was away is kept on disk and never lost to an estimate."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path

import pytest

from callsheet.db.transaction import Database
from callsheet.events.call import LlmCallFinished
from callsheet.events.run import RunStarted
from callsheet.events.stage import StageFinished, StageStarted
from callsheet.events.usage import MeteredUsage, Usage
from callsheet.journal.recovery import Recovery
from callsheet.journal.run_log import JournaledRun
from callsheet.journal.spool import DiskSpool, Measured
from callsheet.journal.writer import JournalWriter
from callsheet.kit.clock import SystemClock
from callsheet.kit.errors import Unavailable
from callsheet.kit.ids import new_id
from callsheet.ledger.price_book import PriceBook
from callsheet.ledger.price_store import load_prices
from callsheet.turn.meter import CallEnd, CallIntent
from callsheet.turn.recorder import Recorder
from callsheet.turn.run_meter import MeteredCall, RunMeter
from tests.journal.stage import Admitted, admitted
from tests.journal.test_writer import FlakyStore, Shown, assert_audited, rows, writing

MEASURED = MeteredUsage(
    usage=Usage(input_tokens=1000, output_tokens=70), source="provider", raw={"prompt_tokens": 1000}
)
COST = Decimal("0.001210000000")  # 1000 x 1 + 70 x 3 millionths


def finished(call_id: str, cost: Decimal = COST) -> LlmCallFinished:
    return LlmCallFinished(
        call_id=call_id,
        message_id=str(new_id()),
        status="settled",
        metered=MEASURED,
        cost_native=cost,
        cost_exact=cost,
        latency_ms=3,
    )


async def open_call(
    writer: JournalWriter, database: Database, run: Admitted
) -> tuple[MeteredCall, Recorder, JournaledRun]:
    async with database.read() as tx:
        prices = PriceBook(await load_prices(tx))
    log = writer.open(run.keys)
    recorder = Recorder(log)
    recorder.emit(RunStarted(workflow="chat", revision="r", session_id="s", trace_id="t"))
    recorder.emit(StageStarted(stage="execution"))
    intent = CallIntent(
        message_id=str(new_id()),
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
    call = await RunMeter(prices, log, recorder.emit, SystemClock()).open(intent)
    return call, recorder, log


async def test_what_is_kept_comes_back_by_call_until_it_is_dropped(tmp_path: Path) -> None:
    spool = DiskSpool(tmp_path / "spool")
    run_id, other = new_id(), new_id()
    assert await spool.runs() == ()
    assert await spool.of(run_id) == {}
    first, second = finished(str(new_id())), finished(str(new_id()))
    await spool.keep([(run_id, first), (other, second)])
    await spool.keep([(run_id, second), (run_id, first)])
    assert set(await spool.runs()) == {run_id, other}
    assert await spool.of(run_id) == {first.call_id: first, second.call_id: second}
    await spool.drop(run_id)
    await spool.drop(run_id)
    assert await spool.runs() == (other,)


async def test_a_line_that_a_crash_cut_takes_no_other_with_it(tmp_path: Path) -> None:
    spool = DiskSpool(tmp_path)
    run_id = new_id()
    first, second = finished(str(new_id())), finished(str(new_id()))
    await spool.keep([(run_id, first)])
    with (tmp_path / f"{run_id}.jsonl").open("ab") as file:
        file.write(b'{"kind":"llm_call_fin')
    await spool.keep([(run_id, second)])
    assert set(await spool.of(run_id)) == {first.call_id, second.call_id}


async def test_a_folder_that_cannot_be_written_stops_nobody(tmp_path: Path) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.write_text("")
    spool = DiskSpool(in_the_way / "spool")
    await spool.keep([(new_id(), finished(str(new_id())))])
    assert await spool.runs() == ()


async def test_usage_is_on_disk_while_the_database_is_away_and_gone_when_it_is_booked(
    database: Database, database_url: str, tmp_path: Path
) -> None:
    run, spool = await admitted(database), Witness(tmp_path)
    stores: list[FlakyStore] = []
    async with writing(database_url, [], spool=spool, stores=stores) as writer:
        call, recorder, _ = await open_call(writer, database, run)
        stores[0].before = 3
        call.close(CallEnd(status="settled", metered=MEASURED))
        await recorder.stored()
    assert [event.call_id for _, event in spool.seen] == [call.call_id]
    assert await spool.runs() == ()
    assert await rows(database, "SELECT status, usage_source, cost_exact FROM llm_calls") == [
        ("settled", "provider", COST)
    ]


async def test_a_run_that_could_not_be_stored_is_booked_as_measured_when_it_is_ended(
    database: Database, database_url: str, tmp_path: Path
) -> None:
    run, spool = await admitted(database), DiskSpool(tmp_path)
    shown: Shown = []
    stores: list[FlakyStore] = []
    async with writing(database_url, shown, retry_for_s=0.05, spool=spool, stores=stores) as writer:
        call, recorder, _ = await open_call(writer, database, run)
        stores[0].before = 1000
        call.close(CallEnd(status="settled", metered=MEASURED))
        with pytest.raises(Unavailable):
            await recorder.stored()
    assert await spool.runs() == (run.keys.run_id,)
    async with database.read() as tx:
        prices = PriceBook(await load_prices(tx))
    async with writing(database_url, shown, spool=spool) as writer:
        await Recovery(database, writer, prices, "w2", spool).end(run.keys.run_id)
    assert await spool.runs() == ()
    assert await rows(
        database, "SELECT status, usage_source, input_tokens, cost_exact FROM llm_calls"
    ) == [("settled", "provider", 1000, COST)]
    await assert_audited(database)


async def test_the_end_of_a_call_that_came_after_the_journal_failed_is_not_forgotten(
    database: Database, database_url: str
) -> None:
    run = await admitted(database)
    stores: list[FlakyStore] = []
    async with writing(database_url, [], retry_for_s=0.05, stores=stores) as writer:
        call, recorder, log = await open_call(writer, database, run)
        stores[0].before = 1000
        recorder.emit(StageFinished(stage="execution", status="failed"))
        with pytest.raises(Unavailable):
            await recorder.stored()
        with pytest.raises(Unavailable):
            call.close(CallEnd(status="settled", metered=MEASURED))
        (event,) = log.unstored()
    assert (event.call_id, event.metered) == (call.call_id, MEASURED)


async def test_a_measure_that_comes_after_an_estimate_is_booked_beside_it_and_once(
    database: Database, database_url: str, tmp_path: Path
) -> None:
    """Another process ended the run by estimate while the measure lay on this one's disk."""
    run, spool = await admitted(database), DiskSpool(tmp_path)
    async with database.read() as tx:
        prices = PriceBook(await load_prices(tx))
    async with writing(database_url, []) as writer:
        call, _, _ = await open_call(writer, database, run)
    async with writing(database_url, []) as writer:
        elsewhere = Recovery(database, writer, prices, "w2", DiskSpool(tmp_path / "another"))
        await elsewhere.end(run.keys.run_id)
        (before,) = await rows(database, "SELECT cost_exact, usage_source FROM llm_calls")
        estimated, source = before
        assert isinstance(estimated, Decimal)
        assert source == "estimated"
        here = Recovery(database, writer, prices, "w1", spool)
        for _ in range(2):
            await spool.keep([(run.keys.run_id, finished(call.call_id))])
            await here.book_late()
            assert await spool.runs() == ()
    assert await rows(database, "SELECT cost_exact, usage_source FROM llm_calls") == [before]
    assert await rows(database, "SELECT call_id::text, amount, reason FROM cost_adjustments") == [
        (call.call_id, COST - estimated, "measured while the database was away")
    ]
    await assert_audited(database)


class Witness(DiskSpool):
    """Remembers what was kept."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.seen: list[Measured] = []

    async def keep(self, measured: Sequence[Measured]) -> None:
        self.seen += measured
        await super().keep(measured)
