"""A check of prices says what would keep a model from being called, or priced right."""

from __future__ import annotations

from datetime import time, timedelta
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from callsheet.ledger.price.findings import price_findings
from callsheet.ledger.price.fx_rate import FxRate
from callsheet.ledger.price.store import PriceTable
from callsheet.ledger.price.window import PriceWindow
from tests.ledger.prices import START, price

NOW = START + timedelta(days=100)
EVERY_DAY = frozenset(range(1, 8))
NIGHT = PriceWindow("night", ZoneInfo("UTC"), EVERY_DAY, time(22), time(6))
DAY = PriceWindow("day", ZoneInfo("UTC"), EVERY_DAY, time(6), time(22))


def checked(number: int = 1, **changes: Any) -> Any:
    return price(number, **{"verified": True, **changes})


def told(*prices: Any, windows: tuple[Any, ...] = (), rates: tuple[Any, ...] = ()) -> list[str]:
    table = PriceTable("v", prices, windows, rates)
    return [finding.detail for finding in price_findings("f", "m", table, "USD", NOW)]


def test_a_verified_price_of_all_hours_and_sizes_is_well() -> None:
    assert told(checked(), checked(2, model_code="n", valid_to=NOW)) == []
    assert told(checked(tier_max_input=9), checked(2, tier_min_input=9)) == []
    assert told(checked(window_code="night"), checked(2), windows=(NIGHT,)) == []
    both = (checked(window_code="night"), checked(2, window_code="day"))
    assert told(*both, windows=(NIGHT, DAY)) == []
    rate = FxRate("CNY", "USD", Decimal("0.14"), START)
    assert told(checked(currency="CNY"), rates=(rate,)) == []
    free = checked(input_per_million=Decimal(0), cached_per_million=Decimal(0))
    assert told(free) == []


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({"valid_to": NOW}, "callsheet prices set f/m"),
        ({"verified": False, "source": "seed, verify"}, "Nobody verified its price (source 'seed"),
        ({"tier_max_input": 32_000}, "no price for some sizes"),
        ({"cached_per_million": Decimal(0)}, "Cached tokens cost 0"),
        ({"currency": "CNY"}, "callsheet prices fx set CNY USD"),
        ({"unit": "second", "per_unit": Decimal(1)}, "priced per second"),
        ({"valid_to": NOW + timedelta(days=7)}, "At 2026-04-18 00:00Z: "),
    ],
)
def test_what_is_wrong_is_said_once(changes: dict[str, Any], found: str) -> None:
    (detail,) = told(checked(**changes))
    assert found in detail


def test_a_price_that_ends_and_has_a_successor_is_well() -> None:
    end = NOW + timedelta(days=7)
    assert told(checked(valid_to=end), checked(2, valid_from=end)) == []


def test_hours_that_no_window_covers_are_found() -> None:
    assert NIGHT.holds_at(NOW)
    (detail,) = told(checked(window_code="night"), windows=(NIGHT,))
    assert detail.startswith("At 2026-04-11 06:00Z: ")


def test_windows_that_are_open_at_once_are_found() -> None:
    late = PriceWindow("late", ZoneInfo("UTC"), EVERY_DAY, time(5), time(9))
    rows = (checked(), checked(2, window_code="night"), checked(3, window_code="late"))
    (detail,) = told(*rows, windows=(NIGHT, late))
    assert "late and night are both open" in detail


def test_a_window_without_hours_is_named() -> None:
    (detail,) = told(checked(), checked(2, window_code="nigth"), windows=(NIGHT,))
    assert "'nigth'" in detail
