"""What a client tells beside the message (`context`), as one bounded text; pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from callsheet.kit.json import encode

MOST_CHARS: Final = 8_000
_CUT: Final = "\n[cut: the rest was too long]"


def context_text(entries: Sequence[Mapping[str, Any]]) -> str:
    """Each entry under its description, cut at `MOST_CHARS`; empty where there is nothing to tell.

    Entries are taken as they come: one without a value tells nothing.
    """
    told = [_entry(entry) for entry in entries]
    text = "\n\n".join(each for each in told if each)
    return text if len(text) <= MOST_CHARS else text[:MOST_CHARS] + _CUT


def _entry(entry: Mapping[str, Any]) -> str:
    value, description = entry.get("value"), entry.get("description")
    if value in (None, ""):
        return ""
    text = value if isinstance(value, str) else encode(value).decode()
    return f"{description}:\n{text}" if description and isinstance(description, str) else text
