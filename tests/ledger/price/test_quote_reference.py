"""Whatever the prices, tiers, usage and rate: the cost is what fractions say, to the last digit."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import floor

from hypothesis import given
from hypothesis import strategies as st

from callsheet.events.usage import MeteredUsage, Usage
from callsheet.ledger.price.book import PriceBook
from callsheet.ledger.price.price import Price
from callsheet.ledger.price.quote import Quote
from tests.ledger.price.test_quote import used
from tests.ledger.prices import START, price

MONEY = st.decimals(min_value=0, max_value=10_000_000, places=8)
TOKENS = st.integers(min_value=0, max_value=100_000_000)
RATE = st.decimals(min_value="0.0000000001", max_value=1_000_000, places=10)


@st.composite
def usages(draw: st.DrawFn) -> MeteredUsage:
    cached, write, plain = draw(TOKENS), draw(TOKENS), draw(TOKENS)
    reasoning, text = draw(TOKENS), draw(TOKENS)
    return used(
        cache_type=draw(st.sampled_from([None, "implicit", "explicit"])),
        input_tokens=cached + write + plain,
        cached_tokens=cached,
        cache_write_tokens=write,
        output_tokens=reasoning + text,
        reasoning_tokens=reasoning,
    )


@st.composite
def sheets(draw: st.DrawFn) -> list[Price]:
    """One to four tiers at any borders, with any prices."""
    borders = sorted(draw(st.sets(st.integers(1, 300_000_000), max_size=3)))
    optional = st.none() | MONEY
    return [
        price(
            number,
            currency="CNY",
            tier_min_input=low,
            tier_max_input=high,
            input_per_million=draw(MONEY),
            cached_per_million=draw(MONEY),
            explicit_cached_per_million=draw(optional),
            cache_write_per_million=draw(optional),
            output_per_million=draw(MONEY),
            reasoning_per_million=draw(optional),
        )
        for number, (low, high) in enumerate(zip((0, *borders), (*borders, None), strict=True), 1)
    ]


def reference(rows: list[Price], metered: MeteredUsage) -> tuple[Price, Fraction]:
    """The row and the cost in its currency, by fractions and from the words of the rules."""
    usage = metered.usage
    (row,) = [
        row
        for row in rows
        if max(usage.input_tokens, 1) > row.tier_min_input
        and (row.tier_max_input is None or max(usage.input_tokens, 1) <= row.tier_max_input)
    ]
    cached = row.cached_per_million
    if metered.cache_type == "explicit" and row.explicit_cached_per_million is not None:
        cached = row.explicit_cached_per_million
    write, reasoning = row.cache_write_per_million, row.reasoning_per_million
    write = row.input_per_million if write is None else write
    reasoning = row.output_per_million if reasoning is None else reasoning
    plain = usage.input_tokens - usage.cached_tokens - usage.cache_write_tokens
    millionths = (
        plain * Fraction(row.input_per_million)
        + usage.cached_tokens * Fraction(cached)
        + usage.cache_write_tokens * Fraction(write)
        + (usage.output_tokens - usage.reasoning_tokens) * Fraction(row.output_per_million)
        + usage.reasoning_tokens * Fraction(reasoning)
    )
    return row, millionths / 1_000_000


def half_up(amount: Fraction) -> Fraction:
    return Fraction(floor(amount * 10**12 + Fraction(1, 2)), 10**12)


@given(sheets(), usages(), RATE)
def test_quote_and_cost_are_what_fractions_say(
    rows: list[Price], metered: MeteredUsage, rate: Decimal
) -> None:
    book = PriceBook(reversed(rows), currency="CNY")
    found = book.quote("f", "m", START)
    row, native = reference(rows, metered)
    cost = Quote(found.prices, "CNY", "USD", rate).cost(metered)
    assert cost.price_id == row.id
    assert Fraction(cost.native) == half_up(native)
    assert Fraction(cost.exact) == half_up(native * Fraction(rate))
    assert cost.exact.as_tuple().exponent == -12


@given(sheets(), usages())
def test_no_call_of_the_estimated_size_costs_more_than_its_reserve(
    rows: list[Price], metered: MeteredUsage
) -> None:
    whole = Quote(tuple(rows), "CNY", "CNY")
    usage = metered.usage
    most = Usage(input_tokens=usage.input_tokens, output_tokens=usage.output_tokens)
    reserved = whole.reserve(most)
    assert whole.cost(metered).exact <= reserved.exact
