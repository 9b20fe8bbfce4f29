"""Says that this process is there, as often as its lease asks for."""

from __future__ import annotations

import asyncio
from typing import Final

from callsheet.kit.errors import Unavailable
from callsheet.kit.log import get_log
from callsheet.runs.worker_locks import WorkerLock

_BEATS: Final = 3
"""In one lease, so that one that comes late or is lost kills nobody."""

_log = get_log(__name__)


class Heartbeat:
    """One for a process, however many runs it has."""

    def __init__(self, lock: WorkerLock, lease_s: float) -> None:
        self._lock = lock
        self._every_s = lease_s / _BEATS
        self._draining = False

    async def drain(self) -> None:
        """Say now, and from now on, that this process is about to end."""
        self._draining = True
        await self._beat()

    async def run(self) -> None:
        """Beat until cancelled; a lost connection is regained by others."""
        while True:
            await asyncio.sleep(self._every_s)
            await self._beat()

    async def _beat(self) -> None:
        try:
            await self._lock.beat(draining=self._draining)
        except Unavailable as error:
            _log.warning("heartbeat_lost", error=str(error))
