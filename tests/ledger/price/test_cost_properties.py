"""The arithmetic of money, held against exact fractions, from usage to the rounded message."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from math import floor
from typing import Any
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from callsheet.events.usage import CacheType, MeteredUsage, Usage
from callsheet.kit.money import to_ledger, to_message
from callsheet.ledger.price.cost import cost_of
from callsheet.ledger.price.price import Price
from callsheet.ledger.price.quote import Quote
from tests.ledger.prices import price

COUNTS = st.integers(0, 10_000_000)
# What numeric(18,8) holds.
AMOUNTS = st.decimals(0, Decimal("9999999999.99999999"), places=8)
RATES = st.decimals(Decimal("0.0000000001"), 1_000, places=10)


@st.composite
def usages(draw: st.DrawFn) -> Usage:
    plain, cached, written = draw(st.tuples(COUNTS, COUNTS, COUNTS))
    answer, reasoning = draw(st.tuples(COUNTS, COUNTS))
    return Usage(
        input_tokens=plain + cached + written,
        cached_tokens=cached,
        cache_write_tokens=written,
        output_tokens=answer + reasoning,
        reasoning_tokens=reasoning,
    )


@st.composite
def prices(draw: st.DrawFn, /, **changes: Any) -> Price:
    return price(
        input_per_million=draw(AMOUNTS),
        cached_per_million=draw(AMOUNTS),
        explicit_cached_per_million=draw(st.none() | AMOUNTS),
        cache_write_per_million=draw(st.none() | AMOUNTS),
        output_per_million=draw(AMOUNTS),
        reasoning_per_million=draw(st.none() | AMOUNTS),
        **changes,
    )


def reference(usage: Usage, row: Price, cache_type: CacheType | None = None) -> Fraction:
    """The cost in fractions, by the words of the price table."""

    def either(own: Decimal | None, instead: Decimal) -> Fraction:
        return Fraction(instead if own is None else own)

    cached = Fraction(row.cached_per_million)
    if cache_type == "explicit":
        cached = either(row.explicit_cached_per_million, row.cached_per_million)
    plain = usage.input_tokens - usage.cached_tokens - usage.cache_write_tokens
    millionths = (
        plain * Fraction(row.input_per_million)
        + usage.cached_tokens * cached
        + usage.cache_write_tokens * either(row.cache_write_per_million, row.input_per_million)
        + (usage.output_tokens - usage.reasoning_tokens) * Fraction(row.output_per_million)
        + usage.reasoning_tokens * either(row.reasoning_per_million, row.output_per_million)
    )
    return millionths / 1_000_000


def half_up(amount: Fraction, places: int) -> Fraction:
    """Rounded half-up, in whole numbers."""
    scale = 10**places
    return Fraction(floor(amount * scale + Fraction(1, 2)), scale)


def metered(usage: Usage, cache_type: CacheType | None = None) -> MeteredUsage:
    return MeteredUsage(usage=usage, source="provider", cache_type=cache_type)


CACHES = st.sampled_from([None, "implicit", "explicit"])


@given(usages(), prices(), CACHES)
def test_a_cost_is_that_of_exact_fractions(usage: Usage, row: Price, cache: Any) -> None:
    exact = cost_of(usage, row, explicit_cache=cache == "explicit")

    assert Fraction(exact) == reference(usage, row, cache)
    assert exact >= 0


@given(usages(), usages(), prices())
def test_two_calls_cost_what_both_cost(one: Usage, other: Usage, row: Price) -> None:
    together = Fraction(cost_of(one.plus(other), row))

    assert together == Fraction(cost_of(one, row)) + Fraction(cost_of(other, row))


@given(usages(), st.integers(0, 50), prices())
def test_a_cost_grows_with_the_tokens(usage: Usage, times: int, row: Price) -> None:
    many = Usage(
        input_tokens=usage.input_tokens * times,
        cached_tokens=usage.cached_tokens * times,
        cache_write_tokens=usage.cache_write_tokens * times,
        output_tokens=usage.output_tokens * times,
        reasoning_tokens=usage.reasoning_tokens * times,
    )

    assert Fraction(cost_of(many, row)) == times * Fraction(cost_of(usage, row))


@given(usages(), prices(), RATES, CACHES)
def test_both_amounts_of_a_row_are_rounded_once(
    usage: Usage, row: Price, rate: Decimal, cache: Any
) -> None:
    cost = Quote((row,), "USD", "CNY", rate).cost(metered(usage, cache))
    exact = reference(usage, row, cache)

    assert Fraction(cost.native) == half_up(exact, 12)
    assert Fraction(cost.exact) == half_up(exact * Fraction(rate), 12)


@given(st.lists(st.decimals(0, 1_000, places=12), max_size=8))
def test_a_message_is_rounded_once_half_up_over_all_its_calls(calls: list[Decimal]) -> None:
    total = sum(calls, Decimal(0))

    assert Fraction(to_message(total)) == half_up(sum(map(Fraction, calls), Fraction(0)), 6)
    assert to_message(to_message(total)) == to_message(total)


@given(st.decimals(0, 1_000_000, places=16))
def test_the_ledger_rounds_half_up(amount: Decimal) -> None:
    assert Fraction(to_ledger(amount)) == half_up(Fraction(amount), 12)


@given(
    st.lists(st.integers(1, 1_000_000), min_size=1, max_size=4, unique=True).map(sorted),
    usages(),
    st.data(),
)
def test_a_whole_request_takes_one_tier_and_a_border_belongs_to_the_lower(
    borders: list[int], usage: Usage, data: st.DataObject
) -> None:
    edges = [0, *borders, None]
    rows = [
        data.draw(prices(number=number, tier_min_input=above, tier_max_input=most))
        for number, (above, most) in enumerate(pairwise(edges))
    ]
    cost = Quote(tuple(rows), "USD", "USD").cost(metered(usage))
    tier = sum(usage.input_tokens > border for border in borders)

    assert cost.price_id == UUID(int=tier)
    assert Fraction(cost.native) == half_up(reference(usage, rows[tier]), 12)
