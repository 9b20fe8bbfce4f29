"""Where commands write: answers to standard output, everything about them to standard error."""

from __future__ import annotations

from typing import Any, Final

from rich.console import Console
from rich.markup import escape
from rich.text import Text

from callsheet.kit.text import printable


class _Terminal(Console):
    """A console that no title, tool result or model's answer can command."""

    def render_str(self, text: str, **options: Any) -> Text:
        """As Rich does it, without control characters."""
        return super().render_str(printable(text), **options)


OUT: Final = _Terminal(highlight=False)
ERR: Final = _Terminal(stderr=True, highlight=False)


def counted(count: int, noun: str) -> str:
    """The number with its noun: `1 call`, `2 calls`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def note(text: str) -> None:
    """Say something beside the answer."""
    ERR.print(escape(text), style="dim", soft_wrap=True)


def warn(text: str) -> None:
    """Say that something is not as it should be, though the command goes on."""
    ERR.print(escape(text), style="yellow", soft_wrap=True)
