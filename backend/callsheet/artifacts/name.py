"""What a tool calls its file, as data that no client can be led astray by."""

from __future__ import annotations

import unicodedata
from typing import Final

from callsheet.kit.text import clean

LONGEST_NAME: Final = 255
_NAMELESS: Final = "file"
_UNSEEN: Final = frozenset({"Cc", "Cf", "Zl", "Zp"})
"""Control characters, those that turn the direction of what is read, and ends of lines."""
_UP: Final = frozenset({"", ".", ".."})


def clean_name(raw: str) -> str:
    """The name with forward slashes between its parts, relative, at most `LONGEST_NAME` characters.

    Nothing in it leads upwards or is invisible; `out/r.txt` stays as it is. A name that is too long
    loses its beginning and keeps its ending, which says what it is.
    """
    seen = "".join(c for c in raw if unicodedata.category(c) not in _UNSEEN)
    parts = (part.strip() for part in clean(seen).replace("\\", "/").split("/"))
    name = "/".join(part for part in parts if part not in _UP)
    if len(name) > LONGEST_NAME:
        name = name[-LONGEST_NAME:].lstrip("/ .")
    return name or _NAMELESS
