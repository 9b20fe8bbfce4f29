"""Where commands write: answers to standard output, everything about them to standard error."""

from __future__ import annotations

from typing import Final

from rich.console import Console
from rich.markup import escape

OUT: Final = Console(highlight=False)
ERR: Final = Console(stderr=True, highlight=False)


def note(text: str) -> None:
    """Say something beside the answer."""
    ERR.print(escape(text), style="dim", soft_wrap=True)


def warn(text: str) -> None:
    """Say that something is not as it should be, though the command goes on."""
    ERR.print(escape(text), style="yellow", soft_wrap=True)
