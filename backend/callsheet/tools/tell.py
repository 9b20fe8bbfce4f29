"""What a tool may let people see while it works."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Protocol
from uuid import UUID

from callsheet.tools.source import Source, page_key


class Tell(Protocol):
    """All of it at once, in order, without waiting; nothing is heard once the call has ended."""

    def show(self, activity: str, message_id: UUID, content: Mapping[str, Any]) -> None:
        """Show a whole activity; one of the same id is replaced. `content` is plain data."""
        ...

    def output(self, stream: Literal["stdout", "stderr"], text: str) -> None:
        """Show more of what a program writes."""
        ...

    def source(self, source: Source) -> int:
        """Show a source; its number in this turn, the same one for the same page."""
        ...


class Untold:
    """Implements `Tell`: nobody looks on. Sources are counted all the same."""

    def __init__(self) -> None:
        self._sources: list[str] = []

    def show(self, activity: str, message_id: UUID, content: Mapping[str, Any]) -> None:
        """Not shown."""

    def output(self, stream: Literal["stdout", "stderr"], text: str) -> None:
        """Not shown."""

    def source(self, source: Source) -> int:
        """Its number."""
        page = page_key(source.url)
        if page not in self._sources:
            self._sources.append(page)
        return self._sources.index(page) + 1
