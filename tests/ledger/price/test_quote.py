"""What a call costs and may cost: exact for every tier, kind of token, unit and rate."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from callsheet.events.usage import MeteredUsage, Usage
from callsheet.ledger.price.price import Price
from callsheet.ledger.price.quote import Quote
from tests.ledger.prices import price

BORDERS = (32_000, 128_000, 256_000)


def used(units: str = "0", cache_type: Any = None, **tokens: int) -> MeteredUsage:
    return MeteredUsage(
        usage=Usage(**tokens), source="provider", units=Decimal(units), cache_type=cache_type
    )


def quote(*prices: Price, rate: str = "1") -> Quote:
    return Quote(prices, prices[0].currency, "USD", Decimal(rate))


def tiers() -> Quote:
    """Four tiers at the usual borders, input at 1, 2, 4 and 8, output ten times that."""
    lows, highs = (0, *BORDERS), (*BORDERS, None)
    return quote(
        *(
            price(
                number + 1,
                tier_min_input=low,
                tier_max_input=high,
                input_per_million=Decimal(2**number),
                cached_per_million=Decimal(2**number) / 10,
                cache_write_per_million=None,
                output_per_million=Decimal(2**number * 10),
                reasoning_per_million=None,
            )
            for number, (low, high) in enumerate(zip(lows, highs, strict=True))
        )
    )


@pytest.mark.parametrize(
    ("input_tokens", "tier"),
    [
        (0, 1),
        (1, 1),
        (32_000, 1),
        (32_001, 2),
        (128_000, 2),
        (128_001, 3),
        (256_000, 3),
        (256_001, 4),
        (9_000_000, 4),
    ],
)
def test_the_border_belongs_to_the_lower_tier_and_all_tokens_take_the_tier(
    input_tokens: int, tier: int
) -> None:
    cost = tiers().cost(used(input_tokens=input_tokens, output_tokens=100))
    price = 2 ** (tier - 1)
    assert cost.price_id is not None
    assert cost.price_id.int == tier
    assert cost.exact == Decimal(input_tokens * price + 100 * price * 10) / 1_000_000


def test_cached_and_reasoning_tokens_take_the_tier_of_the_whole_input() -> None:
    cost = tiers().cost(used(input_tokens=32_001, cached_tokens=32_000, output_tokens=10))
    assert cost.native == Decimal("0.006602")  # 1 x 2 + 32,000 x 0.2 + 10 x 20


@pytest.mark.parametrize(
    ("cache_type", "explicit", "millionths"),
    [
        ("explicit", Decimal(1), 10),
        ("implicit", Decimal(1), 20),
        (None, Decimal(1), 20),
        ("explicit", None, 20),
        ("explicit", Decimal(0), 0),
    ],
)
def test_cached_tokens_are_priced_by_their_kind_of_cache(
    cache_type: Any, explicit: Decimal | None, millionths: int
) -> None:
    of = quote(price(explicit_cached_per_million=explicit))
    cost = of.cost(used(input_tokens=10, cached_tokens=10, cache_type=cache_type))
    assert cost.exact == Decimal(millionths) / 1_000_000


@pytest.mark.parametrize("unit", ["second", "image", "character", "request"])
def test_a_price_per_unit_counts_units_and_no_tokens(unit: str) -> None:
    per_unit = quote(price(unit=unit, per_unit=Decimal("0.0000900000")))
    assert per_unit.unit == unit
    spoken = used("61", input_tokens=5000, output_tokens=300)
    assert per_unit.cost(spoken).native == Decimal("0.00549")
    assert per_unit.reserve(spoken.usage, Decimal(100)).native == Decimal("0.009")


def test_a_call_that_was_made_is_one_request_and_one_that_was_not_is_none() -> None:
    of = quote(price(unit="request", per_unit=Decimal("0.01")))
    made = MeteredUsage(usage=Usage(input_tokens=5), source="provider")
    assert of.counted(made).units == 1
    assert of.cost(of.counted(made)).exact == Decimal("0.01")
    assert of.counted(used("3")).units == 3
    not_sent = MeteredUsage(usage=Usage(), source="none")
    assert of.counted(not_sent) is not_sent
    assert of.reserve(made.usage).exact == Decimal("0.01")
    assert quote(price()).counted(made) is made


def test_image_tokens_are_inside_the_input_and_units_add_nothing_to_it() -> None:
    cost = quote(price()).cost(used("3", input_tokens=1270, output_tokens=54))
    assert cost.native == Decimal(1270 * 7 + 54 * 31) / 1_000_000


def test_both_amounts_are_rounded_half_up_and_the_second_from_the_unrounded_first() -> None:
    tiny = quote(price(currency="CNY", input_per_million=Decimal("0.0000005")), rate="0.1389000000")
    cost = tiny.cost(used(input_tokens=1))
    assert cost.native == Decimal("0.000000000001")  # from half of it
    assert cost.exact == 0
    assert tiny.cost(used(input_tokens=8)).exact == Decimal("0.000000000001")  # 0.0000000000005556
    assert tiny.cost(used(input_tokens=7)).exact == 0  # 0.00000000000048615


def test_a_reserve_takes_full_input_and_the_dearer_of_answer_and_reasoning() -> None:
    cached_free = price(cache_write_per_million=None, cached_per_million=Decimal(0))
    most = Usage(input_tokens=1000, output_tokens=100)
    assert quote(cached_free).reserve(most).exact == Decimal(1000 * 7 + 100 * 101) / 1_000_000
    assert quote(price()).reserve(most).exact == Decimal(1000 * 11 + 100 * 101) / 1_000_000
    plain = price(cache_write_per_million=None, reasoning_per_million=None)
    assert quote(plain).reserve(most).exact == Decimal(1000 * 7 + 100 * 31) / 1_000_000


@pytest.mark.parametrize(
    ("estimate", "tier", "dearest"),
    [(1000, 1, 1), (27_000, 1, 1), (28_000, 1, 2), (32_000, 1, 2), (32_001, 2, 2), (9**9, 4, 8)],
)
def test_a_reserve_takes_the_dearest_tier_within_reach(
    estimate: int, tier: int, dearest: int
) -> None:
    reserved = tiers().reserve(Usage(input_tokens=estimate, output_tokens=10))
    assert reserved.price_id is not None
    assert reserved.price_id.int == tier
    assert reserved.exact == Decimal((estimate + 100) * dearest) / 1_000_000


def test_a_reserve_is_the_lower_tier_where_that_is_dearer() -> None:
    dear = quote(
        price(9, input_per_million=Decimal(99), tier_max_input=32_000), *tiers().prices[1:]
    )
    reserved = dear.reserve(Usage(input_tokens=40_000))
    assert reserved.exact == Decimal(40_000 * 99) / 1_000_000
