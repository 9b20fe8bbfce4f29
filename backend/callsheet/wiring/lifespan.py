"""Opens an application with the server and ends the server where it cannot start."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from callsheet.kit.errors import AppError, SetupError
from callsheet.wiring.application import Application


@asynccontextmanager
async def running(
    application: Application, on_failure: Callable[[Exception], None]
) -> AsyncIterator[None]:
    """The application, starting in the background, for as long as the block runs.

    `on_failure` is called, once, where the start failed: the server is to end then, because a
    process whose database or migration failed must not look alive.
    """

    async def watch() -> None:
        try:
            await application.ready()
        except (SetupError, AppError) as failure:
            on_failure(failure)

    async with application, asyncio.TaskGroup() as group:
        watcher = group.create_task(watch())
        try:
            yield
        finally:
            watcher.cancel()
