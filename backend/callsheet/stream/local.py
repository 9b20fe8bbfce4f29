"""Live fan-out of journaled events to the viewers in this process."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Final
from uuid import UUID

from callsheet.events.entry import Entry
from callsheet.events.union import TERMINAL
from callsheet.kit.errors import AppError

MOST_WAITING: Final = 4_096


class Subscription:
    """One viewer's queue. A viewer that falls too far behind is cut off (`lagging`)."""

    def __init__(self) -> None:
        self.lagging = False
        self.is_over = False
        self._broken: AppError | None = None
        self._waiting: deque[Entry] = deque()
        self._wake = asyncio.Event()

    def put(self, entries: tuple[Entry, ...]) -> None:
        """Queue entries; never waits, so that a slow viewer slows nobody."""
        if self.lagging:
            return
        if len(self._waiting) + len(entries) > MOST_WAITING:
            self.lagging = True
            self._waiting.clear()
        else:
            self._waiting.extend(entries)
        self._wake.set()

    async def take(self) -> tuple[Entry, ...]:
        """All that waits, at least one entry; empty only where it was cut off or is over."""
        while not (self._waiting or self.lagging or self.is_over):
            self._wake.clear()
            await self._wake.wait()
        entries = tuple(self._waiting)
        self._waiting.clear()
        return entries

    def refuse(self) -> None:
        """Raise what `break_off` was given."""
        if self._broken is not None:
            raise self._broken

    def break_off(self, error: AppError | None) -> None:
        """Nothing more will come: it is over, because of `error` where there is one."""
        self._broken = error
        self.is_over = True
        self._wake.set()


class LocalBroker:
    """Knows which viewers look at which run. Used from the event loop only."""

    def __init__(self) -> None:
        self._viewers: dict[UUID, list[Subscription]] = {}

    def publish(self, run_id: UUID, entries: tuple[Entry, ...]) -> None:
        """Hand committed entries to the run's viewers; after the last one they are forgotten."""
        for viewer in self._viewers.get(run_id, ()):
            viewer.put(entries)
        if entries and isinstance(entries[-1].event, TERMINAL):
            self._viewers.pop(run_id, None)

    def break_off(self, run_id: UUID, error: AppError | None) -> None:
        """Tell the run's viewers that no more of it can be shown here; forget them.

        `error` is raised to them once they have seen what is stored; without one their view ends.
        """
        for viewer in self._viewers.pop(run_id, ()):
            viewer.break_off(error)

    def subscribe(self, run_id: UUID) -> Subscription:
        """Begin to receive what is published from now on; `unsubscribe` ends it."""
        viewer = Subscription()
        self._viewers.setdefault(run_id, []).append(viewer)
        return viewer

    def looked_at(self) -> tuple[UUID, ...]:
        """The runs that somebody looks at."""
        return tuple(self._viewers)

    def viewers(self, run_id: UUID) -> int:
        """How many look at the run."""
        return len(self._viewers.get(run_id, ()))

    def unsubscribe(self, run_id: UUID, viewer: Subscription) -> None:
        """Stop receiving; safe to call twice."""
        viewers = self._viewers.get(run_id)
        if viewers is None:
            return
        if viewer in viewers:
            viewers.remove(viewer)
        if not viewers:
            del self._viewers[run_id]
