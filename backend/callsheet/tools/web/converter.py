"""Markdown of a tree of tags, of no more size and in no more time than a page is worth.

A few bytes can stand for very much: each quote within a quote marks every line of it once more.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from bs4 import Tag

_MOST_CHARS: Final = 8_000_000
"""Of all that is held at once. A page of the full size that is read becomes some 2,000,000."""
_MOST_S: Final = 10.0


class _TooMuchError(Exception):
    """It is no page that is meant to be read."""


def to_markdown(content: Tag, *, most_chars: int = _MOST_CHARS, most_s: float = _MOST_S) -> str:
    """What `content` shows; where that would be too much, its text alone."""
    from markdownify import MarkdownConverter  # noqa: PLC0415 - heavy, for fetched pages alone

    base: Any = MarkdownConverter
    ends_at = time.monotonic() + most_s

    class Bounded(base):  # type: ignore[misc]  # the library has no types
        held = 0

        def process_tag(self, node: Tag, parent_tags: Any = None) -> str:
            """As the library has it; what the tags inside became is part of what this one does."""
            before = self.held
            if time.monotonic() > ends_at:
                raise _TooMuchError
            text = str(super().process_tag(node, parent_tags))
            self.held = before + len(text)
            if self.held > most_chars:
                raise _TooMuchError
            return text

    converter = Bounded(
        heading_style="ATX",
        bullets="-",
        escape_asterisks=False,
        escape_underscores=False,
        escape_misc=False,
    )
    try:
        return str(converter.convert_soup(content))
    except (RecursionError, _TooMuchError):
        return content.get_text("\n", strip=True)
