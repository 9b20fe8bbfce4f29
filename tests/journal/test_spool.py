"""What was measured while the database was away is kept on disk and never lost to an estimate."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from uuid import UUID

import pytest

from callsheet.db.transaction import Database
from callsheet.events.stage import StageFinished
from callsheet.journal.spool import DiskSpool, Measured
from callsheet.kit.errors import Unavailable
from callsheet.kit.ids import new_id
from callsheet.turn.meter import CallEnd
from tests.journal.measuring import COST, MEASURED, finished, open_call
from tests.journal.stage import admitted, end_run, recovery_of
from tests.journal.test_writer import FlakyStore, Shown, assert_audited, rows, writing


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
    await spool.drop(new_id())
    assert await spool.runs() == ()


async def test_what_lies_on_disk_stays_until_it_is_booked_itself(
    database: Database, database_url: str, tmp_path: Path
) -> None:
    """The call ends while an earlier batch of its run still waits for the database."""
    run, spool = await admitted(database), Witness(tmp_path, database)
    stores: list[FlakyStore] = []
    async with writing(database_url, [], spool=spool, stores=stores) as writer:
        call, recorder, _ = await open_call(writer, database, run)
        stores[0].before = 2
        recorder.emit(StageFinished(stage="execution", status="failed"))
        stored = asyncio.create_task(recorder.stored())
        while stores[0].before == 2:
            await asyncio.sleep(0)
        call.close(CallEnd(status="settled", metered=MEASURED))
        await stored
        await recorder.stored()
    assert [event.call_id for _, event in spool.seen] == [call.call_id]
    assert spool.booked_when_dropped == [1]


async def test_usage_is_on_disk_while_the_database_is_away_and_gone_when_it_is_booked(
    database: Database, database_url: str, tmp_path: Path
) -> None:
    run, spool = await admitted(database), Witness(tmp_path, database)
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
    async with writing(database_url, shown, spool=spool) as writer:
        await end_run(recovery_of(database, writer, "w2", spool), database, run.keys.run_id)
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


class Witness(DiskSpool):
    """Remembers what was kept, and how many calls were booked when it was dropped."""

    def __init__(self, folder: Path, database: Database) -> None:
        super().__init__(folder)
        self.seen: list[Measured] = []
        self.booked_when_dropped: list[int] = []
        self._database = database

    async def drop(self, run_id: UUID) -> None:
        found = await rows(self._database, "SELECT id FROM llm_calls WHERE status = 'settled'")
        self.booked_when_dropped.append(len(found))
        await super().drop(run_id)

    async def keep(self, measured: Sequence[Measured]) -> None:
        self.seen += measured
        await super().keep(measured)
