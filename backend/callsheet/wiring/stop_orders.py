"""Stops a run in whichever process it is under way."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Final
from uuid import UUID

from callsheet.db.channel import Channel
from callsheet.db.options import DatabaseOptions
from callsheet.db.transaction import Database
from callsheet.jobs.protocol import Jobs
from callsheet.kit.errors import Unavailable
from callsheet.kit.log import get_log

_CHANNEL: Final = "callsheet_stop"
_AGAIN_S: Final = 0.5
_log = get_log(__name__)


class StopOrders:
    """Hears which runs are to be stopped, and stops those that are this process's."""

    def __init__(self, options: DatabaseOptions, database: Database, jobs: Jobs) -> None:
        self._channel = Channel(options, _CHANNEL)
        self._database = database
        self._jobs = jobs

    async def run(self) -> None:
        """Listen until cancelled; again as soon as the database is back."""
        async with asyncio.TaskGroup() as stops:

            def obey(word: str) -> None:
                with suppress(ValueError):
                    stops.create_task(self._stop(UUID(word)))

            while True:
                try:
                    await self._channel.listen(obey)
                except Unavailable:
                    await asyncio.sleep(_AGAIN_S)

    async def give(self, run_id: UUID) -> None:
        """Order it once; a process that has just lost its line does not hear it."""
        await self._channel.send(self._database, str(run_id))

    async def _stop(self, run_id: UUID) -> None:
        if await self._jobs.cancel(run_id, "user"):
            _log.info("run_stopped_for_another_process", run_id=str(run_id))
