"""What one session with a server has under way."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from callsheet.tools.mcp.protocol import Session
from callsheet.tools.mcp.wish import HeardNews


@dataclass(slots=True)
class Flight:
    """The calls of one session that are under way."""

    session: Session
    news: HeardNews
    tasks: set[asyncio.Task[None]] = field(default_factory=set)
    is_stale: bool = False
    rereads: bool = False
    rests: bool = False
    pinged: bool = False

    @property
    def busy(self) -> int:
        """How many of them are under way."""
        return sum(not task.done() for task in self.tasks) - self.rests

    def keep(self, task: asyncio.Task[None]) -> None:
        """Count it among them until it is done."""
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
