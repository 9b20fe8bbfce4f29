"""Stops what goes on here although another process has ended it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Final, Protocol
from uuid import UUID

from callsheet.db.transaction import Database
from callsheet.kit.errors import AppError
from callsheet.kit.log import get_log
from callsheet.runs.store import ended_of

EVERY_S: Final = 5.0
REASON: Final = "ended_elsewhere"

_log = get_log(__name__)


class Jobs(Protocol):
    """The jobs of this process."""

    def ids(self) -> Iterable[UUID]:
        """Those under way."""
        ...

    async def cancel(self, job_id: UUID, reason: str, /) -> bool:
        """Stop one and return once it has ended."""
        ...


class Strays:
    """A process that could not reach the database for a while was taken for dead, and its runs were
    ended. What they do from then on is in nobody's answer, and still costs money.
    """

    def __init__(self, database: Database, jobs: Jobs, every_s: float = EVERY_S) -> None:
        self._database = database
        self._jobs = jobs
        self._every_s = every_s

    async def run(self) -> None:
        """Look until cancelled. A run has to be ended at two looks: its own end takes a moment."""
        before: frozenset[UUID] = frozenset()
        while True:
            await asyncio.sleep(self._every_s)
            try:
                now = await self._ended()
            except AppError as error:
                _log.warning("strays_not_looked_for", error=str(error))
                continue
            for run_id in now & before:
                _log.warning("run_ended_elsewhere", run_id=str(run_id))
                await self._jobs.cancel(run_id, REASON)
            before = now

    async def _ended(self) -> frozenset[UUID]:
        under_way = list(self._jobs.ids())
        if not under_way:
            return frozenset()
        async with self._database.read() as tx:
            return await ended_of(tx, under_way)
