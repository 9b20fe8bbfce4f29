"""A session with an MCP server, as the rest of the room sees it: without the SDK."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class ListedTool:
    """A tool as its server lists it. `schema` is what the server sent, whatever that is.

    `read_only`: the server says that it changes nothing.
    """

    name: str
    schema: Any
    description: str = ""
    title: str = ""
    read_only: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """What a call gave. `blocks` are the server's, of whatever types; `structured` is any value.

    Numbers in them need not be finite.
    """

    blocks: Sequence[Mapping[str, Any]] = ()
    structured: Any = None
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a call is, as its server says; `total` is of the same unknown unit."""

    done: float
    total: float | None = None
    message: str = ""


Hear = Callable[[Progress], None]


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a tool by the server's own name for it."""

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    hear: Hear | None = None


class Session(Protocol):
    """An open one. Several calls may be under way at the same time."""

    async def tools(self) -> Sequence[ListedTool]:
        """All pages of the server's list."""
        ...

    async def call(self, call: Call) -> Answer:
        """Call a tool; the server is told where the caller is cancelled.

        Raises:
            CallRefused: the server answered with an error.
            NotAsked: the session is over, and the server did not see the call.
            ConnectionLost: the session ended meanwhile.
        """
        ...

    async def ping(self) -> None:
        """Return once the server has answered anything at all; raises NotAsked where it is gone."""
        ...


class News(Protocol):
    """Who hears of what a session does by itself."""

    def lost(self, reason: str) -> None:
        """It is over."""
        ...

    def changed(self) -> None:
        """The server's list of tools is another one."""
        ...


Open = Callable[[News], AbstractAsyncContextManager[Session]]
"""Opens a session; entering it raises ServerDown, or whatever else went wrong."""
