"""Notices that the database went away, and makes this process whole when it is back."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from callsheet.db.transaction import Database
from callsheet.kit.errors import AppError, SetupError
from callsheet.kit.log import get_log
from callsheet.runs.worker_locks import WorkerLock

_FIRST_S: Final = 0.1
_MOST_S: Final = 2.0

_log = get_log(__name__)


Revive = Callable[[], Awaitable[object]]
"""Returns when the server may be asked again; SetupError where it cannot be brought back."""


async def others_revive() -> None:
    """A server that is not ours is brought back by others."""


class DatabaseWatch:
    """Revives the embedded server, and holds the worker's lock again; never gives up."""

    def __init__(self, database: Database, lock: WorkerLock, revive: Revive) -> None:
        self._database = database
        self._lock = lock
        self._revive = revive

    async def run(self) -> None:
        """Watch until cancelled."""
        while True:
            await self._lock.lost()
            _log.warning("database_lost")
            await self._regain()
            _log.warning("database_back")

    async def _regain(self) -> None:
        wait_s = _FIRST_S
        while True:
            try:
                await self._revive()
                await self._database.let_go()  # what the pool holds is as dead as the lock's own
                await self._lock.take()
            except (AppError, SetupError) as error:
                _log.warning("database_away", error=str(error), wait_s=wait_s)
                await asyncio.sleep(wait_s)
                wait_s = min(wait_s * 2, _MOST_S)
            else:
                return
