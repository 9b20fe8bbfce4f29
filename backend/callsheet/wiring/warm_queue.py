"""The queue, whose library is imported when it is first needed, or when there is time for it."""

from __future__ import annotations

import asyncio
import importlib
from typing import TYPE_CHECKING, cast
from uuid import UUID

if TYPE_CHECKING:
    from callsheet.db.transaction import Read, Tx
    from callsheet.jobs.protocol import Queue


class WarmQueue:
    """Implements `jobs.protocol.Queue`. The import takes a quarter of a second, in a thread."""

    def __init__(self) -> None:
        self._queue: Queue | None = None
        self._one_at_a_time = asyncio.Lock()

    async def warm(self) -> Queue:
        """The real one."""
        async with self._one_at_a_time:
            if self._queue is None:
                module = await asyncio.to_thread(importlib.import_module, "callsheet.jobs.pgqueuer")
                self._queue = cast("Queue", module.PgQueuer())
        return self._queue

    async def submit(self, tx: Tx, run_id: UUID, priority: int) -> None:
        """See `Queue`."""
        await (await self.warm()).submit(tx, run_id, priority)

    async def has_any(self, tx: Read) -> bool:
        """See `Queue`."""
        return await (await self.warm()).has_any(tx)

    async def claim(self, tx: Tx, most: int) -> tuple[UUID, ...]:
        """See `Queue`."""
        return await (await self.warm()).claim(tx, most)

    async def cancel(self, tx: Tx, run_id: UUID) -> None:
        """See `Queue`."""
        await (await self.warm()).cancel(tx, run_id)

    async def tidy(self, tx: Tx) -> None:
        """See `Queue`."""
        await (await self.warm()).tidy(tx)
