"""Runs whose answers come too late are ended by whichever process looks first."""

from __future__ import annotations

import asyncio
from datetime import timedelta

from callsheet.db.transaction import Database
from callsheet.events.interrupt import Interrupt
from callsheet.events.run import RunPaused, RunStarted
from callsheet.kit.clock import SystemClock
from callsheet.kit.ids import new_id
from callsheet.wiring.waiting_runs import WaitingRuns
from tests.fakes.clock import HandClock
from tests.journal.stage import Admitted, admitted
from tests.journal.test_writer import writing
from tests.sessions.rows import rows

ENDS = SystemClock().now() + timedelta(hours=1)


async def waiting(database: Database, database_url: str) -> Admitted:
    run = await admitted(database)
    asked = [
        Interrupt(interrupt_id=str(new_id()), reason="question", message="?", expires_at=at)
        for at in (ENDS, ENDS + timedelta(hours=5))
    ]
    async with writing(database_url, []) as writer:
        log = writer.open(run.keys)
        log.append(RunStarted(workflow="chat", revision="r", session_id="s", trace_id="t"))
        log.append(RunPaused(interrupts=tuple(asked)))
        await log.stored()
    return run


async def state(database: Database) -> list[tuple[object, ...]]:
    return await rows(
        database,
        "SELECT r.status, r.error_code, r.finished_at IS NULL, s.status, "
        "array_agg(DISTINCT i.status) FROM runs r JOIN sessions s ON s.id = r.session_id "
        "JOIN interrupts i ON i.run_id = r.id GROUP BY 1, 2, 3, 4",
    )


async def test_the_first_answer_that_is_missing_in_time_ends_the_run(
    database: Database, database_url: str
) -> None:
    await waiting(database, database_url)
    clock = HandClock(ENDS - timedelta(seconds=1))
    sweeper = WaitingRuns(database, clock)
    assert await sweeper.sweep() == 0
    assert await state(database) == [("waiting_input", None, True, "running", ["open"])]
    clock.forward(1)
    ended = await asyncio.gather(*(WaitingRuns(database, clock).sweep() for _ in range(3)))
    assert sum(ended) == 1
    assert await state(database) == [("failed", "interrupt_expired", False, "failed", ["expired"])]
    assert await sweeper.sweep() == 0


async def test_a_run_is_stopped_once(database: Database, database_url: str) -> None:
    run = await waiting(database, database_url)
    sweeper = WaitingRuns(database, SystemClock())
    for _ in range(2):
        await sweeper.stop(run.keys.run_id, run.keys.session_id)
        assert await state(database) == [("cancelled", None, False, "completed", ["closed"])]
