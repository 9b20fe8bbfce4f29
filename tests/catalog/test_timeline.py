from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from uuid import UUID

from callsheet.catalog.price import PriceEntry, Rates
from callsheet.catalog.timeline import (
    FOREVER,
    AddPrice,
    ClosePrice,
    DropPrice,
    MarkPrice,
    StoredPrice,
    plan_prices,
)

JANUARY = datetime(2026, 1, 1, tzinfo=UTC)
MARCH = datetime(2026, 3, 1, tzinfo=UTC)
JUNE = datetime(2026, 6, 1, tzinfo=UTC)
NOW = datetime(2026, 9, 1, tzinfo=UTC)
DECEMBER = datetime(2026, 12, 1, tzinfo=UTC)
ROW = UUID(int=1)


def entry(price: str, start: datetime = JANUARY, *, verified: bool = False) -> PriceEntry:
    return PriceEntry(
        factory="qwen",
        model_code="flash",
        currency="USD",
        valid_from=start,
        input_per_million=Decimal(price),
        cached_per_million=Decimal(0),
        output_per_million=Decimal(0),
        source="a test",
        verified=verified,
    )


def row(
    price: str,
    start: datetime = JANUARY,
    end: datetime = FOREVER,
    *,
    used: bool = False,
    by_hand: bool = False,
) -> StoredPrice:
    rates: Rates = entry(price).rates
    return StoredPrice(ROW, start, end, rates, used=used, by_hand=by_hand)


def test_an_empty_table_gets_the_whole_time_line_in_order() -> None:
    first, second = entry("1"), entry("2", JUNE)
    assert plan_prices([second, first], [], NOW) == [
        AddPrice(first, JANUARY, JUNE),
        AddPrice(second, JUNE, FOREVER),
    ]


def test_a_row_that_says_the_same_is_left_alone() -> None:
    assert plan_prices([entry("1.00")], [row("1", used=True)], NOW) == []
    assert plan_prices([entry("1", JANUARY)], [row("1", MARCH)], NOW) == [
        AddPrice(entry("1"), JANUARY, MARCH)
    ]


def test_an_unused_row_is_replaced_from_its_beginning() -> None:
    assert plan_prices([entry("2")], [row("1")], NOW) == [
        DropPrice(ROW),
        AddPrice(entry("2"), JANUARY, FOREVER),
    ]


def test_a_used_row_is_closed_now_and_a_new_one_begins() -> None:
    assert plan_prices([entry("2")], [row("1", used=True)], NOW) == [
        ClosePrice(ROW, NOW),
        AddPrice(entry("2"), NOW, FOREVER),
    ]


def test_a_used_row_is_closed_when_a_later_price_begins() -> None:
    later = entry("2", DECEMBER)
    assert plan_prices([later], [row("1", used=True)], NOW) == [
        ClosePrice(ROW, DECEMBER),
        AddPrice(later, DECEMBER, FOREVER),
    ]


def test_an_unused_row_is_shortened_to_what_the_file_leaves_it() -> None:
    later = entry("2", DECEMBER)
    assert plan_prices([entry("1"), later], [row("1")], NOW) == [
        ClosePrice(ROW, DECEMBER),
        AddPrice(later, DECEMBER, FOREVER),
    ]


def test_a_price_that_was_entered_by_hand_is_never_touched() -> None:
    assert plan_prices([entry("2")], [row("1", by_hand=True)], NOW) == []
    assert plan_prices([entry("2")], [row("1", JANUARY, MARCH, by_hand=True)], NOW) == [
        AddPrice(entry("2"), MARCH, FOREVER)
    ]


def test_a_price_that_ran_out_is_begun_again() -> None:
    assert plan_prices([entry("1")], [row("1", JANUARY, MARCH, used=True)], NOW) == [
        AddPrice(entry("1"), MARCH, FOREVER)
    ]


def test_a_verified_price_is_marked_without_a_new_row() -> None:
    assert plan_prices([entry("1", verified=True)], [row("1", used=True)], NOW) == [
        MarkPrice(ROW, verified=True)
    ]
