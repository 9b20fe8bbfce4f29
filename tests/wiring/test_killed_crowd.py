"""Two processes are killed in the middle of many turns: the next one books every call."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from callsheet.db.transaction import Database
from tests.fixtures.database import CHECKOUT
from tests.ledger.bookings import assert_sound
from tests.sessions.rows import rows
from tests.wiring.stage import application, settings_of

ENOUGH = 60
CALLS = "SELECT count(*), count(*) FILTER (WHERE status = 'open') FROM llm_calls"
ACTIVE = "SELECT 1 FROM runs WHERE status IN ('queued', 'running')"
LIMITS = "limits:\n  run: {calls: 9}\n  user_day: {calls: 100000}\n"


async def crowd(folder: Path, database_url: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.wiring.doomed_crowd", str(folder), database_url,
        cwd=CHECKOUT, env={"PYTHONPATH": f"{CHECKOUT}/backend:{CHECKOUT}"},
    )  # fmt: skip


async def test_every_call_of_two_killed_processes_is_booked_and_nothing_is_held(
    tmp_path: Path, database: Database, database_url: str
) -> None:
    settings = settings_of(tmp_path, database_url)
    quotas = tmp_path / "deployment" / "config" / "quotas.yaml"
    quotas.write_text(quotas.read_text("utf-8").replace("limits: {}", LIMITS), "utf-8")
    async with application(settings) as app:
        await app.ready()
        processes = [await crowd(tmp_path, database_url) for _ in range(2)]
        try:
            async with asyncio.timeout(120):
                while (await rows(database, CALLS))[0][0] < ENOUGH:
                    await asyncio.sleep(0.05)
        finally:
            for process in processes:
                process.kill()
                await process.wait()
        assert (await rows(database, CALLS))[0][1] > 0
        async with asyncio.timeout(60):
            while await rows(database, ACTIVE):
                await app.core().recovery.sweep()
    assert (await rows(database, CALLS))[0][1] == 0
    assert await rows(
        database, "SELECT DISTINCT reserved_tokens, reserved_cost FROM budget_counters"
    ) == [(0, 0)]
    await assert_sound(database)
