"""A frozen process comes back to a run that is another's: it stops, and changes nothing."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path

import pytest

from callsheet.db.transaction import Database
from callsheet.kit.ids import new_id
from tests.ledger.bookings import assert_sound
from tests.sessions.rows import rows
from tests.wiring.stage import application, settings_of
from tests.wiring.test_killed import assert_closed, doomed, until_ended

LEASE_S = 2.0


@pytest.mark.parametrize(("take_overs", "status"), [(3, "succeeded"), (0, "interrupted")])
async def test_a_frozen_process_loses_its_run_and_changes_nothing_when_it_comes_back(
    tmp_path: Path, database: Database, database_url: str, take_overs: int, status: str
) -> None:
    worker = {"lease_s": LEASE_S, "take_overs": take_overs}
    async with (
        doomed(tmp_path, database_url, new_id(), LEASE_S) as (run_id, process),
        application(settings_of(tmp_path, database_url, worker=worker)) as app,
    ):
        await app.ready()
        process.send_signal(signal.SIGSTOP)
        assert await until_ended(database, run_id) == status
        left = await everything(database)
        process.send_signal(signal.SIGCONT)
        assert process.stdout is not None
        async with asyncio.timeout(30):
            while not (said := (await process.stdout.readline()).decode()).startswith("stopped"):
                assert said, "the process ended"
        assert said == "stopped, models asked: 0\n"
        assert await everything(database) == left
    if status == "interrupted":
        await assert_closed(database, run_id)
    await assert_sound(database)


async def everything(database: Database) -> list[object]:
    return [
        await rows(database, f"SELECT * FROM {table} ORDER BY 1, 2")
        for table in ("run_events", "runs", "messages", "llm_calls", "budget_counters")
    ]
