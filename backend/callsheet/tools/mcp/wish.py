"""What is wanted of a connection, and what its session says by itself: all that its queue holds."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from callsheet.tools.mcp.faults import ConnectionLost, ServerDown
from callsheet.tools.mcp.protocol import Call


@dataclass(slots=True, eq=False)
class Wish:
    """Somebody waits for `future`; without a call they only want the session to be open.

    `begun`: the server may have seen the call. `again`: it was begun in a session that was over.
    """

    future: asyncio.Future[Any]
    call: Call | None = None
    begun: bool = False
    again: bool = False


@dataclass(slots=True, eq=False)
class HeardNews:
    """Implements `News` for one session: whoever reads the queue sees of which one it is."""

    queue: asyncio.Queue[Any]

    def lost(self, reason: str) -> None:
        """It is over."""
        self.queue.put_nowait(Lost(self, reason))

    def changed(self) -> None:
        """The list of tools is another one."""
        self.queue.put_nowait(Changed(self))


@dataclass(frozen=True, slots=True)
class Lost:
    """The session of `news` is over."""

    news: HeardNews
    reason: str


@dataclass(frozen=True, slots=True)
class Changed:
    """The list of tools of `news` is another one."""

    news: HeardNews


@dataclass(frozen=True, slots=True)
class Doubt:
    """A call of the session of `news` was given up: does the server still answer at all?"""

    news: HeardNews


def refuse(wish: Any, reason: str) -> None:
    """The server was not asked."""
    if isinstance(wish, Wish) and not wish.future.done():
        wish.future.set_exception(ServerDown(reason))


def lose(wish: Wish) -> None:
    """Whoever still waits is told that nobody knows."""
    if not wish.future.done():
        wish.future.set_exception(ConnectionLost("the connection was lost"))
