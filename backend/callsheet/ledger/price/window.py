"""The hours of the week in which a price holds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, time
from typing import Final
from zoneinfo import ZoneInfo

_MIDNIGHT: Final = time(0)


@dataclass(frozen=True, slots=True)
class PriceWindow:
    """One span of the window `code`: on `weekdays` (1 Monday to 7 Sunday), local time of `zone`.

    `start` is in, `end` is out. `end` 00:00 is the end of the day; an `end` that is not after
    `start` reaches into the next day. Both are whole minutes.
    """

    code: str
    zone: ZoneInfo
    weekdays: frozenset[int]
    start: time
    end: time

    def holds_at(self, moment: datetime) -> bool:
        """Whether the clock on the wall of `zone` is in the span at that moment."""
        local = moment.astimezone(self.zone)
        day, clock = local.isoweekday(), local.time()
        if self.end == _MIDNIGHT:
            return day in self.weekdays and clock >= self.start
        if self.start < self.end:
            return day in self.weekdays and self.start <= clock < self.end
        of_day_before = (day - 2) % 7 + 1 in self.weekdays and clock < self.end
        return of_day_before or (day in self.weekdays and clock >= self.start)


def open_windows(spans: Iterable[PriceWindow], moment: datetime) -> frozenset[str]:
    """The codes of the windows that are open at that moment: one span is enough."""
    return frozenset(span.code for span in spans if span.holds_at(moment))
