"""What a tool shows while it works, in a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal
from uuid import UUID

from rich.console import Console
from rich.text import Text

from callsheet.kit.json import encode
from callsheet.kit.text import printable
from callsheet.tools.source import Source

_LONGEST_SHOWN: Final = 200


class TerminalTell:
    """Implements `Tell`: each thing as a line, a program's output as it comes."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._sources: list[str] = []

    def show(self, activity: str, message_id: UUID, content: Mapping[str, Any]) -> None:
        """The activity with the beginning of what it holds."""
        del message_id
        text = encode(dict(content)).decode()
        cut = text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}..."
        self._line(f"{activity} {cut}")

    def output(self, stream: Literal["stdout", "stderr"], text: str) -> None:
        """More of what a program writes."""
        del stream
        self._console.print(Text(printable(text)), end="", soft_wrap=True)

    def source(self, source: Source) -> int:
        """Its number; a line where it is new."""
        if source.url not in self._sources:
            self._sources.append(source.url)
            self._line(f"[{len(self._sources)}] {source.title} {source.url}")
        return self._sources.index(source.url) + 1

    def _line(self, text: str) -> None:
        self._console.print(Text(printable(text), style="dim"), soft_wrap=True)
