"""How a tool keeps a file that it made."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, Protocol
from uuid import UUID

from callsheet.artifacts.artifact import url_of
from callsheet.kit.errors import ToolFailed
from callsheet.tools.context import ToolContext

ACTIVITY: Final = "callsheet.artifact"
"""The activity that tells of one."""


@dataclass(frozen=True, slots=True)
class Artifact:
    """A file that is kept: its name as it was cleaned, its kind as its bytes tell it."""

    id: UUID
    name: str
    media_type: str
    size_bytes: int

    @property
    def url(self) -> str:
        """Where its owner gets it, on this server."""
        return url_of(self.id)


class NotKept(ToolFailed):
    """The file cannot be kept; the message says why, for the model."""


Read = Callable[[], Awaitable[bytes | None]]


class Artifacts(Protocol):
    """Keeps files of tool calls, and shows them to whoever looks on."""

    async def keep(
        self, ctx: ToolContext, name: str, data: bytes, media_type: str = ""
    ) -> Artifact:
        """Store the file for the session's user, show it, and return it.

        `name` may have inner parts (`out/plot.png`) and is cleaned. `media_type` is what the tool
        takes it for, and only counts where the bytes do not tell. The same call with the same name
        and bytes gives the same artifact again.

        Raises:
            NotKept: it is over a limit, or its session or run is over.
            Unavailable: the database or the data folder is.
        """
        ...

    async def find(self, ctx: ToolContext, reference: str) -> tuple[Artifact, Read] | None:
        """The file of the session with that id, or its newest one of that name.

        None where it has none. The bytes are read when the function beside it is called: None
        where they are gone.

        Raises:
            Unavailable: the database or the data folder is.
        """
        ...
