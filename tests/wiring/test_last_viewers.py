"""A run whose last viewer has gone is stopped once, after its grace, where that is wanted."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from uuid import UUID

from callsheet.kit.ids import new_id
from callsheet.turn.request import TurnRequest
from callsheet.wiring.last_viewers import LastViewers
from callsheet.workflows.workflow import Workflow
from tests.fakes.clock import HandClock

MINDS = Workflow("chat", "r", (), on_disconnect="cancel", disconnect_grace_s=10)
TURN = TurnRequest(new_id(), new_id(), new_id(), "chat", new_id(), "hello", "t")


class World:
    """Who looks on, what is stopped, and what time it is."""

    def __init__(self) -> None:
        self.watched: set[UUID] = set()
        self.looks = 0
        self.stopped: list[tuple[UUID, str]] = []
        self.clock = HandClock()
        self.last_viewers = LastViewers(self, self, self.clock, look_s=0.001)

    def is_watched(self, run_id: UUID) -> bool:
        self.looks += 1
        return run_id in self.watched

    async def cancel(self, job_id: UUID, reason: str) -> bool:
        self.stopped.append((job_id, reason))
        return True

    async def forward(self, seconds: float) -> None:
        """Let the time go by, and two looks be taken."""
        self.clock.forward(seconds)
        target = self.looks + 2
        async with asyncio.timeout(20):
            while self.looks < target:
                await asyncio.sleep(0.001)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        work = asyncio.create_task(self.last_viewers.run())
        yield
        work.cancel()
        await asyncio.wait([work])


async def test_a_run_is_stopped_once_its_last_viewer_has_been_gone_for_the_grace() -> None:
    world = World()
    world.watched.add(TURN.run_id)
    async with world.running():
        with world.last_viewers.minding(TURN, MINDS):
            await world.forward(100)
            world.watched.clear()
            await world.forward(9)
            world.watched.add(TURN.run_id)  # somebody comes back in time
            await world.forward(9)
            world.watched.clear()
            await world.forward(9.9)
            assert world.stopped == []
            await world.forward(0.1)
            await world.forward(50)
        assert world.stopped == [(TURN.run_id, "disconnected")]


async def test_what_the_client_chose_goes_before_what_the_workflow_says() -> None:
    world, detached = World(), replace(MINDS, on_disconnect="detach")
    stays, goes = replace(TURN, on_disconnect="detach"), replace(TURN, on_disconnect="cancel")
    async with world.running():
        with (
            world.last_viewers.minding(stays, MINDS),
            world.last_viewers.minding(TURN, detached),
        ):
            world.clock.forward(100)
            await asyncio.sleep(0.02)
            assert world.looks == 0
        with world.last_viewers.minding(goes, detached):
            await world.forward(100)
    assert world.stopped == [(TURN.run_id, "disconnected")]
