"""Days and months of a time zone, as moments in UTC."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

_DAY: Final = timedelta(days=1)


def period_starts(moment: datetime, zone: ZoneInfo) -> tuple[datetime, datetime]:
    """When the day and the month that `moment` is in began, in UTC."""
    day = moment.astimezone(zone).date()
    return midnight(day, zone), midnight(day.replace(day=1), zone)


def period_ends(moment: datetime, zone: ZoneInfo) -> tuple[datetime, datetime]:
    """When the day and the month that `moment` is in end, in UTC."""
    day = moment.astimezone(zone).date()
    next_month = (day.replace(day=28) + 4 * _DAY).replace(day=1)
    return midnight(day + _DAY, zone), midnight(next_month, zone)


def midnight(day: date, zone: ZoneInfo) -> datetime:
    """The beginning of a day, as `date_trunc('day', moment, zone)` of Postgres has it.

    A midnight that is left out (the clock is put forward over it) is the moment of the change;
    one that is there twice is the second.
    """
    naive = datetime.combine(day, time.min)
    return max(naive.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1))
