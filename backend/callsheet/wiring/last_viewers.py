"""Stops runs whose last viewer has gone, where their workflow or their client wants that."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Final, Protocol
from uuid import UUID

from callsheet.jobs.protocol import Jobs
from callsheet.kit.clock import Clock
from callsheet.kit.log import get_log
from callsheet.turn.request import TurnRequest
from callsheet.workflows.workflow import Workflow

LOOK_S: Final = 0.25
REASON: Final = "disconnected"

_log = get_log(__name__)


class Viewers(Protocol):
    """Who looks on, in any process."""

    def is_watched(self, run_id: UUID, /) -> bool:
        """Whether anybody looks at the run, or may do so."""
        ...


class LastViewers:
    """Counts how long nobody has looked at the runs of this process that mind it."""

    def __init__(self, viewers: Viewers, jobs: Jobs, clock: Clock, look_s: float = LOOK_S) -> None:
        self._viewers = viewers
        self._jobs = jobs
        self._clock = clock
        self._look_s = look_s
        self._grace_s: dict[UUID, float] = {}
        self._seen_at: dict[UUID, float] = {}
        self._any = asyncio.Event()

    def minding(self, turn: TurnRequest, workflow: Workflow) -> AbstractContextManager[None]:
        """The run is under way inside the block, and is stopped if it is to be."""
        if (turn.on_disconnect or workflow.on_disconnect) == "detach":
            return nullcontext()
        return self._minding(turn.run_id, workflow.disconnect_grace_s)

    @contextmanager
    def _minding(self, run_id: UUID, grace_s: float) -> Iterator[None]:
        self._grace_s[run_id] = grace_s
        self._seen_at[run_id] = self._clock.monotonic()
        self._any.set()
        try:
            yield
        finally:
            del self._grace_s[run_id], self._seen_at[run_id]
            if not self._grace_s:
                self._any.clear()

    async def run(self) -> None:
        """Look again and again, while any run minds it, until cancelled."""
        async with asyncio.TaskGroup() as stops:
            stopped: set[UUID] = set()
            while True:
                await self._any.wait()
                stopped &= self._grace_s.keys()
                for run_id in self._left() - stopped:
                    stopped.add(run_id)
                    _log.info("run_left", run_id=str(run_id))
                    stops.create_task(self._stop(run_id))
                await asyncio.sleep(self._look_s)

    def _left(self) -> set[UUID]:
        now = self._clock.monotonic()
        for run_id in self._seen_at:
            if self._viewers.is_watched(run_id):
                self._seen_at[run_id] = now
        return {run_id for run_id, at in self._seen_at.items() if now - at >= self._grace_s[run_id]}

    async def _stop(self, run_id: UUID) -> None:
        await self._jobs.cancel(run_id, REASON)
