"""Removes the bytes of artifacts that were deleted, and what crashes left behind."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Final
from uuid import UUID

from callsheet.artifacts.folder import ArtifactFolder
from callsheet.artifacts.store import deleted_before, forget, known_of
from callsheet.db.transaction import Database
from callsheet.kit.clock import Clock
from callsheet.kit.errors import AppError
from callsheet.kit.log import get_log

EVERY_S: Final = 600.0
_AT_ONCE: Final = 200
_DELETED_AFTER: Final = timedelta(days=1)
"""As with journals: a session that was deleted by mistake may be had back until then."""
_LEFT_AFTER: Final = timedelta(hours=1)
"""Longer than any writing of a file and its row takes."""

_log = get_log(__name__)


class ArtifactSweep:
    """Every process does it; where two do the same, nothing is wrong with that."""

    def __init__(
        self,
        database: Database,
        folder: ArtifactFolder,
        clock: Clock,
        every_s: float = EVERY_S,
    ) -> None:
        self._database = database
        self._folder = folder
        self._clock = clock
        self._every_s = every_s

    async def run(self) -> None:
        """Look now and then, until cancelled; a fresh process has more urgent things to do."""
        while True:
            await asyncio.sleep(self._every_s)
            try:
                await self.sweep()
            except (AppError, OSError) as error:
                _log.warning("artifacts_not_swept", error=str(error))

    async def sweep(self) -> None:
        """Settle or remove what was left waiting, then remove what was deleted long enough ago."""
        left = await self._put_right()
        removed = await self._remove_deleted()
        if left or removed:
            _log.info("artifacts_swept", left_behind=left, removed=removed)

    async def _put_right(self) -> int:
        """A file that waits has a row, and belongs to its place, or has none, and is nobody's."""
        before_s = (self._clock.now() - _LEFT_AFTER).timestamp()
        left = await asyncio.to_thread(self._folder.left_waiting, before_s)
        for start in range(0, len(left), _AT_ONCE):
            some = left[start : start + _AT_ONCE]
            async with self._database.read() as tx:
                known = await known_of(tx, some)
            await asyncio.to_thread(self._sort, some, known)
        return len(left)

    def _sort(self, left: list[UUID], known: frozenset[UUID]) -> None:
        for artifact_id in left:
            if artifact_id in known:
                self._folder.settle(artifact_id)
            else:
                self._folder.remove(artifact_id)

    async def _remove_deleted(self) -> int:
        """Bytes first: a row without them is found again, bytes without a row are not."""
        before = self._clock.now() - _DELETED_AFTER
        removed = 0
        while True:
            async with self._database.read() as tx:
                gone = await deleted_before(tx, before, _AT_ONCE)
            if not gone:
                return removed
            await asyncio.to_thread(self._remove, gone)
            async with self._database.transaction() as tx:
                await forget(tx, gone)
            removed += len(gone)

    def _remove(self, artifact_ids: list[UUID]) -> None:
        for artifact_id in artifact_ids:
            self._folder.remove(artifact_id)
