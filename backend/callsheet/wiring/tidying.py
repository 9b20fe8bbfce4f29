"""Forgets what is kept of runs that wait no more, and of processes that are long dead."""

from __future__ import annotations

import asyncio
from typing import Final

from callsheet.runs.lease_store import forget_dead
from callsheet.wiring.core import Core

_EVERY_S: Final = 60.0


class Tidying:
    """Does so every minute, in every process."""

    def __init__(self, core: Core) -> None:
        self._core = core

    async def run(self) -> None:
        """Tidy up until cancelled."""
        while True:
            await asyncio.sleep(_EVERY_S)
            await self.tidy()

    async def tidy(self) -> None:
        """Once."""
        async with self._core.database.transaction() as tx:
            await self._core.queue.tidy(tx)
            await forget_dead(tx)
