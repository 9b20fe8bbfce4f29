"""Stops what goes on here although another process has ended it, or has taken it over."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Final, Protocol
from uuid import UUID

from callsheet.db.transaction import Database
from callsheet.jobs.protocol import Jobs
from callsheet.kit.errors import AppError
from callsheet.kit.log import get_log
from callsheet.runs.lease_store import taken_from
from callsheet.runs.store import ended_of

EVERY_S: Final = 5.0
REASON: Final = "ended_elsewhere"

_log = get_log(__name__)


class OwnJobs(Jobs, Protocol):
    """The jobs of this process, one by one."""

    def ids(self) -> Iterable[UUID]:
        """Those under way."""
        ...


class Strays:
    """A process that hung, or could not reach the database for a while, was taken for dead, and its
    runs were ended, or taken over. What they do here from then on is in nobody's answer, and still
    costs money.
    """

    def __init__(
        self, database: Database, jobs: OwnJobs, worker_id: str, every_s: float = EVERY_S
    ) -> None:
        self._database = database
        self._jobs = jobs
        self._worker_id = worker_id
        self._every_s = every_s

    async def run(self) -> None:
        """Look until cancelled. A run has to be ended at two looks: its own end takes a moment."""
        before: frozenset[UUID] = frozenset()
        while True:
            await asyncio.sleep(self._every_s)
            try:
                ended, taken = await self._look()
            except AppError as error:
                _log.warning("strays_not_looked_for", error=str(error))
                continue
            for run_id in (ended & before) | taken:
                _log.warning("run_ended_elsewhere", run_id=str(run_id))
                await self._jobs.cancel(run_id, REASON)
            before = ended

    async def _look(self) -> tuple[frozenset[UUID], frozenset[UUID]]:
        """The runs here that have ended, and those that are another process's."""
        under_way = list(self._jobs.ids())
        if not under_way:
            return frozenset(), frozenset()
        async with self._database.read() as tx:
            ended = await ended_of(tx, under_way)
            return ended, await taken_from(tx, self._worker_id, under_way)
