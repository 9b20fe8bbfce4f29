"""The worker process: it takes runs from the queue and works on them, without HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from callsheet.wiring.application import Application


async def work(application: Application, stop: asyncio.Event, begun: Callable[[str], None]) -> None:
    """Work until `stop`, also while it still starts; `begun` is told the worker's name.

    Raises:
        SetupError: the database or a migration does not let it start.
    """
    async with application, asyncio.TaskGroup() as group:
        ready = group.create_task(application.ready())
        stopped = group.create_task(stop.wait())
        await asyncio.wait((ready, stopped), return_when=asyncio.FIRST_COMPLETED)
        if ready.done() and ready.exception() is None:
            begun(application.core().worker_id)
            await stopped
        application.drain()
        ready.cancel()
        stopped.cancel()
