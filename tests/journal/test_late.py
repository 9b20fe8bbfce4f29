"""A measure that comes after an estimate is booked beside it, once."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

from sqlalchemy import text

from callsheet.db.transaction import Database
from callsheet.journal.spool import DiskSpool
from callsheet.kit.ids import new_id
from tests.journal.measuring import COST, finished, open_call
from tests.journal.stage import admitted, end_run, gate, recovery_of, wish
from tests.journal.test_writer import assert_audited, rows, writing


async def test_a_measure_that_comes_after_an_estimate_is_booked_beside_it_and_once(
    database: Database, database_url: str, tmp_path: Path
) -> None:
    """Another process ended the run by estimate while the measure lay on this one's disk."""
    run, spool = await admitted(database), DiskSpool(tmp_path)
    async with writing(database_url, []) as writer:
        call, _, _ = await open_call(writer, database, run)
    async with writing(database_url, []) as writer:
        elsewhere = recovery_of(database, writer, "w2", DiskSpool(tmp_path / "another"))
        await end_run(elsewhere, database, run.keys.run_id)
        (before,) = await rows(database, "SELECT cost_exact, usage_source FROM llm_calls")
        estimated, source = before
        assert isinstance(estimated, Decimal)
        assert source == "estimated"
        here = recovery_of(database, writer, "w1", spool)
        for _ in range(2):
            await spool.keep([(run.keys.run_id, finished(call.call_id))])
            await here.book_late()
            assert await spool.runs() == ()
    assert await rows(database, "SELECT cost_exact, usage_source FROM llm_calls") == [before]
    assert await rows(database, "SELECT call_id::text, amount, reason FROM cost_adjustments") == [
        (call.call_id, COST - estimated, "measured while the database was away")
    ]
    await assert_audited(database)


async def test_a_measure_that_cannot_be_booked_keeps_no_other_from_it(
    database: Database, database_url: str, tmp_path: Path
) -> None:
    run, spool = await admitted(database), DiskSpool(tmp_path)
    broken = (await gate(database).admit(wish(new_id()))).run_id
    async with writing(database_url, []) as writer:
        call, _, _ = await open_call(writer, database, run)
    async with writing(database_url, []) as writer:
        elsewhere = recovery_of(database, writer, "w2", DiskSpool(tmp_path / "another"))
        for run_id in (broken, run.keys.run_id):
            await end_run(elsewhere, database, run_id)
        await spool.keep([(broken, finished("no id of a call"))])
        await spool.keep([(run.keys.run_id, finished(call.call_id))])
        await recovery_of(database, writer, "w1", spool).book_late()
    assert await spool.runs() == (broken,)
    assert await rows(database, "SELECT call_id::text FROM cost_adjustments") == [(call.call_id,)]


async def test_a_call_that_a_bill_has_corrected_is_not_corrected_again(
    database: Database, database_url: str, tmp_path: Path
) -> None:
    run, spool = await admitted(database), DiskSpool(tmp_path)
    async with writing(database_url, []) as writer:
        call, _, _ = await open_call(writer, database, run)
    async with writing(database_url, []) as writer:
        here = recovery_of(database, writer, "w1", spool)
        await end_run(here, database, run.keys.run_id)
        async with database.transaction() as tx:
            await tx.execute(_BILLED, {"call_id": call.call_id})
        await spool.keep([(run.keys.run_id, finished(call.call_id))])
        await here.book_late()
    assert await spool.runs() == ()
    assert await rows(database, "SELECT reference FROM cost_adjustments") == [("bill",)]


_BILLED = text("""
INSERT INTO cost_adjustments (call_id, factory, amount, currency, reason, reference, created_by)
VALUES (CAST(:call_id AS uuid), 'f', 0.5, 'USD', 'a bill', 'bill', 'tester')
""")
