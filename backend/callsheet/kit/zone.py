"""Time zones by their name."""

from __future__ import annotations

from functools import cache
from typing import Final
from zoneinfo import ZoneInfo, available_timezones

_SHOWN_CHARS: Final = 40
# Postgres reads these as abbreviations: it knows no summer time in them.
_WITHOUT_SUMMER: Final = frozenset({"CET", "EET", "MET", "WET"})


def zone_named(name: str) -> ZoneInfo:
    """The zone that this machine and the database both know by that name.

    Raises:
        ValueError: there is none; the message is for people.
    """
    if name not in _names():
        raise ValueError(f"{name[:_SHOWN_CHARS]!r} is no time zone such as UTC or Asia/Shanghai")
    return ZoneInfo(name)


@cache
def _names() -> frozenset[str]:
    """Without what is a zone here alone (`localtime`), or is another one in the database."""
    return frozenset(available_timezones()) - {"localtime"} - _WITHOUT_SUMMER
