"""One stage while it runs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from callsheet.crew.abilities import Abilities
from callsheet.crew.asker import Asker
from callsheet.crew.cast import Cast
from callsheet.crew.pace import Pace
from callsheet.events.interrupt import Interrupt
from callsheet.events.stage import EndStatus
from callsheet.turn.paused import Paused
from callsheet.turn.ports import Emit, StageWork
from callsheet.turn.record import path_of


@dataclass(frozen=True, slots=True)
class Delivery:
    """What a task gave: its text, the value where it has a schema, and the answer's message."""

    text: str
    output: Any
    message_id: str


@dataclass(slots=True)
class Scene:
    """What the agents of one stage have in common. `deliveries` grows, by task name."""

    work: StageWork
    emit: Emit
    asker: Asker
    cast: Cast
    abilities: Abilities
    pace: Pace
    deliveries: dict[str, Delivery] = field(default_factory=dict)
    _at_work: set[asyncio.Task[Any]] = field(default_factory=set)
    _waiting: list[Interrupt] = field(default_factory=list)
    _closed: bool = False

    def path_of(self, task: str) -> str:
        """The place of a task's execution in the run."""
        return path_of(self.work.stage.name, self.work.attempt, task)

    @asynccontextmanager
    async def on_stage(self) -> AsyncIterator[None]:
        """The current asyncio task performs here until it leaves or the scene is closed."""
        task = asyncio.current_task()
        if self._closed or task is None:
            raise asyncio.CancelledError
        mine = task not in self._at_work
        self._at_work.add(task)
        try:
            yield
        finally:
            if mine:
                self._at_work.discard(task)

    def wait_for(self, paused: Paused) -> None:
        """A task of the crew waits for people."""
        self._waiting += paused.interrupts

    async def whole(self, crew: Awaitable[None]) -> None:
        """Return when the crew is done.

        Raises:
            Paused: some of its tasks wait; those that were performed beside them are done.
        """
        try:
            await crew
        except Paused as paused:
            left = self._at_work - {asyncio.current_task()}
            if left:
                await asyncio.wait(left)
            for task in left:
                if not task.cancelled():
                    task.exception()  # seen: the pause comes first
            raise Paused(_each_once(self._waiting)) from paused

    async def close(self, status: EndStatus) -> None:
        """Stop whoever still performs, wait for them, and end what they left open.

        CrewAI leaves its `async_execution` tasks running when a sibling fails or is stopped.
        """
        self._closed = True
        left = self._at_work - {asyncio.current_task()}
        for task in left:
            task.cancel()
        if left:
            await asyncio.wait(left)
        self.cast.close(status)


def _each_once(asked: Iterable[Interrupt]) -> tuple[Interrupt, ...]:
    """Several agents may meet the same spent budget: it is asked for once."""
    kept: dict[str, Interrupt] = {}
    for each in asked:
        key = f"budget {each.detail['scope']}" if each.reason == "budget" else each.interrupt_id
        kept.setdefault(key, each)
    return tuple(kept.values())
