"""What the settings' records have in common."""

from __future__ import annotations

from typing import Any, Final

from pydantic import ConfigDict

FROZEN: Final = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


def split(value: Any) -> Any:
    """`a, b` as a list; anything but text is left to pydantic."""
    if not isinstance(value, str):
        return value
    return tuple(part.strip() for part in value.split(",") if part.strip())
