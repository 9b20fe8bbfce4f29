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
        self._now = asyncio.Event()

    def drain(self) -> None:
        """Say from now on, and at once, that this process is about to end."""
        self._draining = True
        self._now.set()

    async def run(self) -> None:
        """Beat until cancelled; a lost connection is regained by others."""
        while True:
            try:
                async with asyncio.timeout(self._every_s):
                    await self._now.wait()
            except TimeoutError:
                pass
            self._now.clear()
            try:
                await self._lock.beat(draining=self._draining)
            except Unavailable as error:
                _log.warning("heartbeat_lost", error=str(error))
