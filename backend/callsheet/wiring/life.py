"""What makes a process known as alive, from its start to its end."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass

from callsheet.runs.worker_locks import WorkerLock
from callsheet.wiring.core import Core
from callsheet.wiring.database_watch import DatabaseWatch, Revive
from callsheet.wiring.heartbeat import Heartbeat


@dataclass(frozen=True, slots=True)
class Life:
    """The watch over the database and over this process's own lease."""

    watch: DatabaseWatch
    heartbeat: Heartbeat

    @property
    def works(self) -> tuple[Callable[[], Awaitable[None]], ...]:
        """What has to go on for as long as the process lives."""
        return self.watch.run, self.heartbeat.run


async def begin_life(
    core: Core, zone: str, lease_s: float, revive: Revive, stack: AsyncExitStack
) -> Life:
    """Hold the worker's lock until the stack is left; nobody else takes the runs meanwhile."""
    held = WorkerLock(core.database, core.worker_id, zone, kind=core.kind, lease_s=lease_s)
    lock = await stack.enter_async_context(held)
    return Life(DatabaseWatch(core.database, lock, revive), Heartbeat(lock, lease_s))
