"""A span of whole days in a time zone."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from callsheet.kit.errors import BadInput
from callsheet.kit.zone import zone_named
from callsheet.ledger.budget.period import midnight

_MONTH: Final = re.compile(r"(\d{4})-(\d{2})")
_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}")
_EARLIEST: Final = 2000
_LATEST: Final = 9000


@dataclass(frozen=True, slots=True)
class Period:
    """The days from `first` to `last`, both in, as `zone` counts them."""

    first: date
    last: date
    zone: ZoneInfo

    @property
    def start(self) -> datetime:
        """When it begins, in UTC."""
        return midnight(self.first, self.zone)

    @property
    def end(self) -> datetime:
        """When it is over, in UTC; no part of it."""
        return midnight(self.last + timedelta(days=1), self.zone)

    @property
    def days(self) -> int:
        """How many days it has."""
        return (self.last - self.first).days + 1

    def __str__(self) -> str:
        days = f"{self.first}" if self.first == self.last else f"{self.first} to {self.last}"
        return f"{days} ({self.zone.key})"


@dataclass(frozen=True, slots=True)
class PeriodWords:
    """A period as somebody wrote it."""

    month: str | None = None
    first: str | None = None
    last: str | None = None

    def read(self, now: datetime, zone: ZoneInfo, *, longest_days: int | None = None) -> Period:
        """The period; without any word the month of `now`, without an end up to today.

        Raises:
            BadInput: not a month or a day, a month beside days, an end before its start, or more
            days than `longest_days`; `field` is month, from or to.
        """
        today = now.astimezone(zone).date()
        if self.month is not None:
            if self.first is not None or self.last is not None:
                raise _bad("month", "stands alone, without a first or a last day")
            period = self._month(self.month, zone)
        elif self.first is None and self.last is None:
            period = Period(today.replace(day=1), today, zone)
        elif self.first is None:
            raise _bad("from", "is missing: the period has an end and no start")
        else:
            first = day_of("from", self.first)
            last = max(first, today) if self.last is None else day_of("to", self.last)
            if last < first:
                raise _bad("to", f"is before the start, {first}")
            period = Period(first, last, zone)
        if longest_days is not None and period.days > longest_days:
            raise _bad("to", f"asks for {period.days} days; {longest_days} are the most")
        return period

    def _month(self, written: str, zone: ZoneInfo) -> Period:
        found = _MONTH.fullmatch(written)
        if not found or not _EARLIEST <= int(found[1]) < _LATEST or not 1 <= int(found[2]) <= 12:
            raise _bad("month", f"is no month: write it as 2026-11, not {written[:40]!r}")
        first = date(int(found[1]), int(found[2]), 1)
        following = (first + timedelta(days=31)).replace(day=1)
        return Period(first, following - timedelta(days=1), zone)


THIS_MONTH: Final = PeriodWords()
"""Up to today."""


def day_of(field: str, written: str) -> date:
    """The day of that spelling, as 2026-11-30; raises BadInput with the field."""
    try:
        day = date.fromisoformat(written) if _DAY.fullmatch(written) else None
    except ValueError:
        day = None
    if day is None or not _EARLIEST <= day.year < _LATEST:
        raise _bad(field, f"is no day: write it as 2026-11-30, not {written[:40]!r}")
    return day


def zone_of(name: str) -> ZoneInfo:
    """The time zone of that name; raises BadInput (field `zone`)."""
    try:
        return zone_named(name)
    except ValueError as error:
        raise BadInput(f"{error}.", field="zone") from error


def _bad(field: str, what: str) -> BadInput:
    return BadInput(f"{field} {what}.", field=field)
