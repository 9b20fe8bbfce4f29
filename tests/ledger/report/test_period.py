"""A period is whole days of a stated zone."""

from __future__ import annotations

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest

from callsheet.kit.errors import BadInput
from callsheet.ledger.report.period import PeriodWords, zone_of

NOW = datetime(2026, 12, 1, 1, 30, tzinfo=UTC)
SHANGHAI, NEW_YORK = ZoneInfo("Asia/Shanghai"), ZoneInfo("America/New_York")


def test_a_month_begins_and_ends_at_the_midnights_of_its_zone() -> None:
    period = PeriodWords(month="2026-02").read(NOW, SHANGHAI)
    assert (period.first, period.last, period.days) == (date(2026, 2, 1), date(2026, 2, 28), 28)
    assert period.start == datetime(2026, 1, 31, 16, tzinfo=UTC)
    assert period.end == datetime(2026, 2, 28, 16, tzinfo=UTC)


def test_december_ends_with_the_year() -> None:
    assert PeriodWords(month="2026-12").read(NOW, SHANGHAI).last == date(2026, 12, 31)


def test_a_day_of_a_clock_change_has_23_hours() -> None:
    period = PeriodWords(first="2026-03-08", last="2026-03-08").read(NOW, NEW_YORK)
    assert (period.end - period.start).total_seconds() == 23 * 3600


def test_without_a_word_it_is_this_month_up_to_today_as_the_zone_has_it() -> None:
    assert str(PeriodWords().read(NOW, ZoneInfo("UTC"))) == "2026-12-01 (UTC)"
    there = PeriodWords().read(NOW, NEW_YORK)
    assert str(there) == "2026-11-01 to 2026-11-30 (America/New_York)"


def test_a_start_without_an_end_reaches_to_today() -> None:
    period = PeriodWords(first="2026-11-20").read(NOW, ZoneInfo("UTC"))
    assert (period.first, period.last) == (date(2026, 11, 20), date(2026, 12, 1))


@pytest.mark.parametrize(
    ("words", "field"),
    [
        (PeriodWords(month="2026-13"), "month"),
        (PeriodWords(month="26-11"), "month"),
        (PeriodWords(month="2026-11", first="2026-11-01"), "month"),
        (PeriodWords(first="2026-02-30"), "from"),
        (PeriodWords(first="20261101"), "from"),
        (PeriodWords(first="9999-12-31"), "from"),
        (PeriodWords(last="2026-11-30"), "from"),
        (PeriodWords(first="2026-11-30", last="2026-11-29"), "to"),
        (PeriodWords(first="2020-01-01", last="2026-11-29"), "to"),
    ],
)
def test_a_mistake_is_named_by_its_field(words: PeriodWords, field: str) -> None:
    with pytest.raises(BadInput) as caught:
        words.read(NOW, ZoneInfo("UTC"), longest_days=366)
    assert caught.value.extra["field"] == field


@pytest.mark.parametrize("name", ["", "Mars/Olympus", "../etc/passwd", "x" * 300, "a\x00b"])
def test_a_zone_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(BadInput) as caught:
        zone_of(name)
    assert caught.value.extra["field"] == "zone"
