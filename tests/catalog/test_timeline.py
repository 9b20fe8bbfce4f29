from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from uuid import UUID

from callsheet.catalog.price import PriceEntry, Tier
from callsheet.catalog.timeline import (
    FOREVER,
    AddPrice,
    ClosePrice,
    DropPrice,
    MarkPrice,
    StoredPrice,
    holds_already,
    known_elsewhere,
    plan_change,
    plan_prices,
)

JANUARY = datetime(2026, 1, 1, tzinfo=UTC)
MARCH = datetime(2026, 3, 1, tzinfo=UTC)
JUNE = datetime(2026, 6, 1, tzinfo=UTC)
NOW = datetime(2026, 9, 1, tzinfo=UTC)
DECEMBER = datetime(2026, 12, 1, tzinfo=UTC)
ROW = (UUID(int=1),)


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
    return StoredPrice(ROW, start, end, entry(price).terms, used=used, by_hand=by_hand)


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


def tiered(*borders: int, price: str = "1", start: datetime = JANUARY) -> PriceEntry:
    """An entry with one tier more than borders; its later tiers cost the same."""
    tier = {"cached_per_million": Decimal(0), "output_per_million": Decimal(0)}
    return entry(price, start).model_copy(
        update={
            "input_per_million": None,
            "cached_per_million": None,
            "output_per_million": None,
            "tiers": tuple(
                Tier(up_to_input_tokens=border, input_per_million=Decimal(price), **tier)
                for border in (*borders, None)
            ),
        }
    )


def stored(of: PriceEntry, start: datetime, end: datetime, *, used: bool = False) -> StoredPrice:
    ids = tuple(UUID(int=number) for number, _ in enumerate(of.terms, 1))
    return StoredPrice(ids, start, end, of.terms, used=used, by_hand=False)


def test_the_tiers_of_a_price_come_and_go_together() -> None:
    before, after = tiered(32_000), tiered(32_000, 128_000)
    assert plan_prices([before], [stored(before, JANUARY, FOREVER, used=True)], NOW) == []
    assert plan_prices([after], [stored(before, JANUARY, FOREVER, used=True)], NOW) == [
        ClosePrice((UUID(int=1), UUID(int=2)), NOW),
        AddPrice(after, NOW, FOREVER),
    ]
    assert plan_prices([entry("1")], [stored(before, JANUARY, FOREVER)], NOW) == [
        DropPrice((UUID(int=1), UUID(int=2))),
        AddPrice(entry("1"), JANUARY, FOREVER),
    ]


def test_a_change_closes_what_is_valid_whoever_entered_it() -> None:
    new = entry("2", NOW)
    for by_hand in (True, False):
        for used in (True, False):
            assert plan_change(new, [row("1", used=used, by_hand=by_hand)]) == [
                ClosePrice(ROW, NOW),
                AddPrice(new, NOW, FOREVER),
            ]


def test_a_change_holds_until_the_next_price_that_is_stored() -> None:
    new = entry("2", NOW)
    assert plan_change(new, [row("1", JANUARY, DECEMBER, used=True), row("3", DECEMBER)]) == [
        ClosePrice(ROW, NOW),
        AddPrice(new, NOW, DECEMBER),
    ]
    assert plan_change(new, []) == [AddPrice(new, NOW, FOREVER)]
    assert plan_change(new, [row("3", DECEMBER)]) == [AddPrice(new, NOW, DECEMBER)]


def test_a_change_takes_the_place_of_an_unused_price_of_that_very_moment() -> None:
    new = entry("2", NOW)
    assert plan_change(new, [row("1", NOW)]) == [DropPrice(ROW), AddPrice(new, NOW, FOREVER)]
    assert plan_change(new, [row("1", NOW, used=True)]) == []
    assert not holds_already(new, [row("1", NOW, used=True)])


def test_a_change_to_what_is_charged_already_is_none() -> None:
    assert plan_change(entry("1", NOW), [row("1", used=True)]) == []
    assert holds_already(entry("1", NOW), [row("1", used=True)])
    assert plan_change(entry("1", NOW, verified=True), [row("1", used=True)]) == [
        MarkPrice(ROW, verified=True)
    ]


def test_what_other_processes_may_be_about_to_book_with_is_closed_and_not_dropped() -> None:
    rows = [row("1", JANUARY, DECEMBER), row("3", DECEMBER)]
    known = known_elsewhere(rows, NOW)
    assert [each.used for each in known] == [True, False]
    assert plan_prices([entry("2")], known, NOW) == [
        ClosePrice(ROW, NOW),
        DropPrice(ROW),
        AddPrice(entry("2"), NOW, FOREVER),
    ]
