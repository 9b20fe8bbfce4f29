"""Days and months begin at a zone's midnight, whatever its clocks do."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import text

from callsheet.db.transaction import Database
from callsheet.ledger.budget.period import period_ends, period_starts

ZONES = (
    "UTC", "Asia/Shanghai", "America/New_York", "Europe/Berlin", "Asia/Kolkata",
    "Australia/Lord_Howe", "America/Havana", "Asia/Beirut", "America/Sao_Paulo", "Pacific/Apia",
)  # fmt: skip
moments = st.integers(0, 20 * 366 * 86_400).map(
    lambda seconds: datetime(2010, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
)


def at(text_: str) -> datetime:
    return datetime.fromisoformat(text_)


@pytest.mark.parametrize(
    ("zone", "moment", "day", "month"),
    [
        ("UTC", "2026-03-04T23:59:59Z", "2026-03-04T00:00Z", "2026-03-01T00:00Z"),
        ("Asia/Shanghai", "2026-03-31T16:00Z", "2026-03-31T16:00Z", "2026-03-31T16:00Z"),
        ("Asia/Shanghai", "2026-03-31T15:59Z", "2026-03-30T16:00Z", "2026-02-28T16:00Z"),
        # The day on which the clocks go forward, seen from its afternoon, and the month with it.
        ("America/New_York", "2026-03-08T20:00Z", "2026-03-08T05:00Z", "2026-03-01T05:00Z"),
        ("America/New_York", "2026-03-09T20:00Z", "2026-03-09T04:00Z", "2026-03-01T05:00Z"),
        ("Europe/Berlin", "2026-10-25T12:00Z", "2026-10-24T22:00Z", "2026-09-30T22:00Z"),
        # No midnight: the clock goes from 0:00 to 1:00.
        ("Asia/Beirut", "2026-03-29T12:00Z", "2026-03-28T22:00Z", "2026-02-28T22:00Z"),
    ],
)
def test_a_day_and_a_month_begin_at_the_zones_midnight(
    zone: str, moment: str, day: str, month: str
) -> None:
    assert period_starts(at(moment), ZoneInfo(zone)) == (at(day), at(month))


def test_a_day_is_as_long_as_its_clocks_say() -> None:
    zone = ZoneInfo("America/New_York")
    for moment, hours in (("2026-03-08T20:00Z", 23), ("2026-11-01T20:00Z", 25)):
        begin, _ = period_starts(at(moment), zone)
        end, _ = period_ends(at(moment), zone)
        assert end - begin == timedelta(hours=hours)


@given(moments, st.sampled_from(ZONES))
def test_an_end_is_the_beginning_of_the_next(moment: datetime, name: str) -> None:
    zone = ZoneInfo(name)
    day_end, month_end = period_ends(moment, zone)
    assert day_end == period_starts(day_end, zone)[0]
    assert month_end == period_starts(month_end, zone)[1]
    assert moment < day_end or period_starts(moment, zone)[0] == day_end


async def test_the_database_has_the_same_days(database: Database) -> None:
    """The counters' keys are made by the database, the ends of periods here."""
    start = datetime(2026, 1, 1, tzinfo=UTC)
    hours = [start + timedelta(hours=number) for number in range(366 * 24)]
    query = text("""
        SELECT m.at, date_trunc('day', m.at, :zone), date_trunc('month', m.at, :zone)
        FROM unnest(CAST(:moments AS timestamptz[])) AS m(at)
    """)
    async with database.read() as tx:
        for name in ZONES:
            rows = (await tx.execute(query, {"moments": hours, "zone": name})).all()
            zone = ZoneInfo(name)
            assert [tuple(row)[1:] for row in rows] == [
                period_starts(row[0], zone) for row in rows
            ], name
