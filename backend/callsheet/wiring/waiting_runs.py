"""Ends runs that nobody will answer: stopped ones, and those whose answer comes too late."""

from __future__ import annotations

import asyncio
from typing import Final
from uuid import UUID

from callsheet.admission.waiting import STOPPED, TOO_LATE, WaitingEnd, let_go
from callsheet.db.transaction import Database
from callsheet.interrupts.store import expired
from callsheet.kit.clock import Clock
from callsheet.kit.errors import AppError
from callsheet.kit.log import get_log
from callsheet.runs.queue_store import call_up_next
from callsheet.sessions.store import lock_session

EVERY_S: Final = 30.0
_MOST: Final = 100

_log = get_log(__name__)


class WaitingRuns:
    """Runs that wait for people."""

    def __init__(self, database: Database, clock: Clock, every_s: float = EVERY_S) -> None:
        self._database = database
        self._clock = clock
        self._every_s = every_s

    async def run(self) -> None:
        """Look for answers that come too late now, until cancelled. Several processes may."""
        while True:
            try:
                await self.sweep()
            except AppError as error:
                _log.warning("waiting_runs_not_looked_at", error=str(error))
            await asyncio.sleep(self._every_s)

    async def sweep(self) -> int:
        """End every run that waits for an answer that comes too late; how many there were."""
        async with self._database.read() as tx:
            late = await expired(tx, self._clock.now(), _MOST)
        ended = 0
        for run_id, session_id in late:
            if await self._end(run_id, session_id, TOO_LATE):
                ended += 1
                _log.info("interrupt_expired", run_id=str(run_id))
        return ended

    async def stop(self, run_id: UUID, session_id: UUID) -> None:
        """Nobody wants its answer any more."""
        await self._end(run_id, session_id, STOPPED)

    async def _end(self, run_id: UUID, session_id: UUID, end: WaitingEnd) -> bool:
        async with self._database.transaction() as tx:
            await lock_session(tx, session_id)
            ended = await let_go(tx, run_id, session_id, end)
            if ended:
                await call_up_next(tx, session_id)
        return ended
