"""One viewer's place in a line of committed events."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Final

from callsheet.events.entry import Entry
from callsheet.kit.errors import AppError

MOST_WAITING: Final = 1_024
"""Entries; whoever is that far behind reads them from the journal."""


class Subscription:
    """One viewer's queue. A viewer that falls too far behind is cut off (`lagging`).

    `last` is the seq up to which the viewer has read, or was given, everything; None: it has yet
    to read.
    """

    def __init__(self) -> None:
        self.last: int | None = None
        self.lagging = False
        self.is_over = False
        self._broken: AppError | None = None
        self._waiting: deque[Entry] = deque()
        self._wake = asyncio.Event()

    def put(self, entries: tuple[Entry, ...]) -> None:
        """Queue entries; never waits, so that a slow viewer slows nobody."""
        if self.lagging or not entries:
            return
        self.last = entries[-1].seq
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
