"""Ends runs that have waited longer than they may, and calls up those whose time has come."""

from __future__ import annotations

import asyncio
from typing import Final

from callsheet.events.run import RunFailed
from callsheet.runs.queue_store import call_up_next, expired_runs, sessions_with_some_behind
from callsheet.sessions.store import lock_session
from callsheet.wiring.core import Core

_EVERY_S: Final = 5.0
_EXPIRED: Final = RunFailed(
    code="expired", message="No worker had a free place for it in the time that it may wait."
)


class Expiry:
    """Looks every few seconds, in every process: there may be no worker at all."""

    def __init__(self, core: Core, every_s: float = _EVERY_S) -> None:
        self._core = core
        self._every_s = every_s

    async def run(self) -> None:
        """End what has expired, until cancelled."""
        while True:
            await self.look()
            await self.call_up()
            await asyncio.sleep(self._every_s)

    async def look(self) -> int:
        """End what has expired now; how many."""
        core = self._core
        async with core.database.read() as tx:
            expired = await expired_runs(tx)
        for run_id, lease in expired:
            await core.recovery.end(run_id, lease, _EXPIRED)
            async with core.database.transaction() as tx:
                await core.queue.cancel(tx, run_id)
        return len(expired)

    async def call_up(self) -> None:
        """Let runs begin that wait for another's end, where that came about in an unusual way.

        As a rule it is done with that end itself.
        """
        database = self._core.database
        async with database.read() as tx:
            sessions = await sessions_with_some_behind(tx)
        for session_id in sessions:
            async with database.transaction() as tx:
                await lock_session(tx, session_id)
                await call_up_next(tx, session_id)
