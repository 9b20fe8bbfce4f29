"""Keeps every frame under the size at which clients cut off.

Official clients refuse a frame of 10 MB, and the run with it. Deltas are split; of anything else
the longest texts are cut and end in a note that says so. The journal and the messages have them
whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from callsheet.kit.json import encode

MOST_BYTES: Final = 9_000_000
"""Of one event."""
MOST_DELTA_CHARS: Final = 1_000_000
"""A character is six bytes at most, as JSON spells it."""
_LEAST_CHARS: Final = 1_000


def pieces(text: str) -> Iterator[str]:
    """The text in pieces that fit into a frame each; one for nearly every text."""
    if len(text) <= MOST_DELTA_CHARS:
        yield text
        return
    for start in range(0, len(text), MOST_DELTA_CHARS):
        yield text[start : start + MOST_DELTA_CHARS]


def fitted(event: dict[str, Any]) -> dict[str, Any]:
    """The event with its longest texts cut until it fits; the same for the same event."""
    chars = MOST_DELTA_CHARS
    cut: dict[str, Any] = event
    while len(encode(cut)) > MOST_BYTES and chars >= _LEAST_CHARS:
        cut = _cut(event, chars)
        chars //= 2
    return cut


def _cut(value: Any, chars: int) -> Any:
    if isinstance(value, str) and len(value) > chars:
        return f"{value[:chars]}\n[cut here: the first {chars} of {len(value)} characters]"
    if isinstance(value, dict):
        return {name: _cut(item, chars) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_cut(item, chars) for item in value]
    return value
