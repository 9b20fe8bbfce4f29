"""A window follows the clock on the wall of its own time zone."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest

from callsheet.ledger.price.window import PriceWindow, open_windows

TICK = timedelta(microseconds=1)
EVERY_DAY = frozenset(range(1, 8))
MONDAY, SATURDAY, SUNDAY = 1, 6, 7


def span(
    start: str, end: str, zone: str = "UTC", weekdays: frozenset[int] = EVERY_DAY
) -> PriceWindow:
    return PriceWindow(
        "w", ZoneInfo(zone), weekdays, time.fromisoformat(start), time.fromisoformat(end)
    )


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def open_at(window: PriceWindow, *moments: str) -> list[bool]:
    return [window.holds_at(utc(moment)) for moment in moments]


def test_the_first_moment_is_in_and_the_last_is_out() -> None:
    window = span("08:00", "20:00")
    assert window.holds_at(utc("2026-06-01T08:00"))
    assert window.holds_at(utc("2026-06-01T20:00") - TICK)
    assert not window.holds_at(utc("2026-06-01T08:00") - TICK)
    assert not window.holds_at(utc("2026-06-01T20:00"))


def test_midnight_as_the_end_is_the_end_of_the_day() -> None:
    of_monday = span("18:00", "00:00", weekdays=frozenset({MONDAY}))
    assert open_at(of_monday, "2026-06-01T18:00", "2026-06-01T23:59", "2026-06-02T00:00") == [
        True,
        True,
        False,
    ]
    whole_day = span("00:00", "00:00", weekdays=frozenset({MONDAY}))
    assert open_at(
        whole_day, "2026-05-31T23:59", "2026-06-01T00:00", "2026-06-01T23:59", "2026-06-02T00:00"
    ) == [False, True, True, False]


def test_a_night_belongs_to_the_day_on_which_it_begins() -> None:
    of_sunday = span("22:00", "06:00", weekdays=frozenset({SUNDAY}))
    assert open_at(
        of_sunday,
        "2026-05-31T21:59",  # Sunday
        "2026-05-31T22:00",
        "2026-06-01T05:59",  # Monday morning
        "2026-06-01T06:00",
        "2026-06-01T22:00",  # Monday night
        "2026-05-31T05:00",  # Sunday morning is Saturday's night
    ) == [False, True, True, False, False, False]


def test_the_weekday_is_the_one_over_there() -> None:
    # Monday 00:30 in Shanghai is Sunday 16:30 in UTC.
    of_monday = span("00:30", "08:30", "Asia/Shanghai", frozenset({MONDAY}))
    assert open_at(of_monday, "2026-05-31T16:30", "2026-06-01T00:29", "2026-06-01T00:30") == [
        True,
        True,
        False,
    ]


@pytest.mark.parametrize(
    ("zone", "winter_from", "summer_from"),
    [
        ("Europe/Berlin", "2026-03-28T08:00", "2026-03-29T07:00"),
        ("America/New_York", "2026-03-07T14:00", "2026-03-08T13:00"),
        ("Australia/Lord_Howe", "2026-10-02T22:30", "2026-10-03T22:00"),  # half an hour
        ("America/Santiago", "2026-09-05T13:00", "2026-09-06T12:00"),
    ],
)
def test_nine_in_the_morning_stays_nine_when_the_clocks_change(
    zone: str, winter_from: str, summer_from: str
) -> None:
    window = span("09:00", "17:00", zone)
    for begins in (utc(winter_from), utc(summer_from)):
        assert window.holds_at(begins)
        assert not window.holds_at(begins - TICK)
        assert window.holds_at(begins + timedelta(hours=8) - TICK)
        assert not window.holds_at(begins + timedelta(hours=8))


def test_an_hour_that_the_clocks_leave_out_is_not_open_and_one_that_comes_twice_is_twice() -> None:
    window = span("02:00", "03:00", "Europe/Berlin")
    spring = [utc("2026-03-29T00:00") + timedelta(minutes=minute) for minute in range(180)]
    autumn = [utc("2026-10-24T23:00") + timedelta(minutes=minute) for minute in range(240)]
    assert sum(map(window.holds_at, spring)) == 0
    assert sum(map(window.holds_at, autumn)) == 120


def test_a_night_is_an_hour_shorter_in_spring_and_longer_in_autumn() -> None:
    night = span("22:00", "06:00", "Europe/Berlin", frozenset({SATURDAY}))
    for start, hours in (("2026-03-28T20:00", 7), ("2026-10-24T19:00", 9)):
        minutes = [utc(start) + timedelta(minutes=minute) for minute in range(13 * 60)]
        assert sum(map(night.holds_at, minutes)) == hours * 60


def test_a_window_is_open_while_one_of_its_spans_is() -> None:
    morning, evening = span("06:00", "09:00"), span("18:00", "22:00")
    other = PriceWindow("o", ZoneInfo("UTC"), EVERY_DAY, time(8), time(19))
    spans = (morning, evening, other)
    assert open_windows(spans, utc("2026-06-01T08:30")) == {"w", "o"}
    assert open_windows(spans, utc("2026-06-01T12:00")) == {"o"}
    assert open_windows(spans, utc("2026-06-01T21:00")) == {"w"}
    assert open_windows(spans, utc("2026-06-01T23:00")) == frozenset()
