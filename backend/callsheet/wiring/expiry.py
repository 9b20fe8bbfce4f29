"""Ends runs that have waited for a worker longer than they may."""

from __future__ import annotations

import asyncio
from typing import Final

from callsheet.events.run import RunFailed
from callsheet.runs.queue_store import expired_runs
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
