"""Runs stages once CrewAI is there: its import takes seconds and is off the start-up path."""

from __future__ import annotations

import asyncio

from callsheet.kit.errors import Unavailable
from callsheet.turn.meter import Meter
from callsheet.turn.ports import Emit, StageRunner, StageWork
from callsheet.turn.view import StageResult


class WarmRunner:
    """Implements `turn.ports.StageRunner` by waiting for the real one, within the deadline."""

    def __init__(self) -> None:
        self._runner: StageRunner | None = None
        self._warm = asyncio.Event()

    def set(self, runner: StageRunner) -> None:
        """The real runner is there."""
        self._runner = runner
        self._warm.set()

    async def run(self, work: StageWork, emit: Emit, meter: Meter) -> StageResult:
        """See `StageRunner.run`."""
        if self._runner is None:
            await self._wait(work)
        assert self._runner is not None
        return await self._runner.run(work, emit, meter)

    async def _wait(self, work: StageWork) -> None:
        try:
            async with work.deadline.timeout():
                await self._warm.wait()
        except TimeoutError as error:
            raise Unavailable("The crew engine is still starting.", service="crew") from error
