"""Runs stages once CrewAI is there: its import takes seconds and is off the start-up path."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from callsheet.kit.errors import Unavailable
from callsheet.turn.meter import Meter
from callsheet.turn.ports import Emit, StageRunner, StageWork
from callsheet.turn.view import StageResult


class WarmRunner:
    """Implements `turn.ports.StageRunner` by waiting for the real one, within the deadline."""

    def __init__(self) -> None:
        self._runner: StageRunner | None = None
        self._close: Callable[[], None] | None = None
        self._failure: Exception | None = None
        self._settled = asyncio.Event()

    def set(self, runner: StageRunner, close: Callable[[], None] | None = None) -> None:
        """The real runner is there; `close` lets go of what it keeps ready."""
        self._runner, self._close = runner, close
        self._settled.set()

    def fail(self, failure: Exception) -> None:
        """There will be no runner in this process."""
        self._failure = failure
        self._settled.set()

    def close(self) -> None:
        """No more stages will be run."""
        if self._close is not None:
            self._close()

    async def run(self, work: StageWork, emit: Emit, meter: Meter) -> StageResult:
        """See `StageRunner.run`; raises Unavailable where the engine does not come in time."""
        if self._runner is None:
            await self._wait(work)
        if self._runner is None:
            raise Unavailable(
                f"The crew engine could not be loaded: {self._failure}", service="crew"
            )
        return await self._runner.run(work, emit, meter)

    async def _wait(self, work: StageWork) -> None:
        try:
            async with work.deadline.timeout():
                await self._settled.wait()
        except TimeoutError as error:
            raise Unavailable("The crew engine is still starting.", service="crew") from error
