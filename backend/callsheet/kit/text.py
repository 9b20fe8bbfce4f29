"""Text as Postgres and strict JSON can hold it."""

from __future__ import annotations

import re
from typing import Final

_UNSTORABLE: Final = re.compile("[\x00\ud800-\udfff]")
_REPLACEMENT: Final = "\ufffd"
# What would move a terminal's cursor, set its title or its clipboard. Line ends and tabs are text.
_COMMANDS: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def sanitize(text: str) -> tuple[str, bool]:
    """`text` with NUL and lone surrogates replaced by U+FFFD, and whether any was.

    A surrogate pair that arrived as two code units is joined to its character first.
    """
    if not _UNSTORABLE.search(text):
        return text, False
    joined = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    clean = _UNSTORABLE.sub(_REPLACEMENT, joined)
    return clean, clean.count(_REPLACEMENT) > text.count(_REPLACEMENT)


def clean(text: str) -> str:
    """`sanitize` where nobody asks whether anything was replaced (a model's output)."""
    return sanitize(text)[0]


def printable(text: str) -> str:
    """`text` for a terminal: what would command it is replaced, line ends and tabs stay."""
    return _COMMANDS.sub(_REPLACEMENT, text)
