"""Single counts out of a usage object."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

MOST_TOKENS: Final = 1_000_000_000
"""No request has more, and a column of the ledger holds it."""


class NonsenseError(ValueError):
    """A count that is no count, or counts that contradict each other."""


def count(raw: Mapping[str, Any], path: str) -> int | None:
    """The count at a path; None where there is none.

    Raises:
        NonsenseError: it is negative, no whole number, or beyond all bounds.
    """
    value = _value(raw, path)
    if value is None:
        return None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MOST_TOKENS:
        raise NonsenseError(path)
    return value


def first(raw: Mapping[str, Any], spellings: tuple[str | tuple[str, ...], ...]) -> int | None:
    """The first count that is not zero; zero where all that are there are; None without any.

    A tuple among the spellings is a sum. A zero does not hide another spelling: gateways fill in
    OpenAI's fields with zeros beside the vendor's own.
    """
    counts = [
        found
        for one in spellings
        if (found := count(raw, one) if isinstance(one, str) else _sum(raw, one)) is not None
    ]
    return next((found for found in counts if found), 0) if counts else None


def sound(raw: Mapping[str, Any], spellings: tuple[str | tuple[str, ...], ...]) -> int | None:
    """`first`, with nonsense as if it were not there."""
    try:
        return first(raw, spellings)
    except NonsenseError:
        return None


def word(raw: Mapping[str, Any], path: str | None) -> str | None:
    """The text at a path."""
    value = None if path is None else _value(raw, path)
    return value if isinstance(value, str) else None


def _sum(raw: Mapping[str, Any], paths: tuple[str, ...]) -> int | None:
    counts = [count(raw, path) for path in paths]
    found = [one for one in counts if one is not None]
    return sum(found) if len(found) == len(paths) else None


def _value(raw: Mapping[str, Any], path: str) -> Any:
    value: Any = raw
    for key in path.split("."):
        value = value.get(key) if isinstance(value, Mapping) else None
    return value
