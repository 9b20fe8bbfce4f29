"""Each token is priced once, by its kind."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.events.usage import Usage
from callsheet.kit.money import to_ledger, to_message
from callsheet.ledger.price.cost import cost_of
from tests.ledger.prices import price

NO_KINDS = {"cache_write_per_million": None, "reasoning_per_million": None}
FREE = {name: Decimal(0) for name in ("input_per_million", "cached_per_million",
        "cache_write_per_million", "output_per_million", "reasoning_per_million")}  # fmt: skip


@pytest.mark.parametrize(
    ("usage", "changes", "millionths"),
    [
        ({}, {}, 0),
        ({"input_tokens": 1}, {}, 7),
        ({"output_tokens": 1}, {}, 31),
        ({"input_tokens": 10, "output_tokens": 3}, {}, 70 + 93),
        ({"input_tokens": 10, "cached_tokens": 10}, {}, 20),
        ({"input_tokens": 10, "cached_tokens": 4}, {}, 42 + 8),
        ({"input_tokens": 10, "cache_write_tokens": 4}, {}, 42 + 44),
        ({"input_tokens": 10, "cached_tokens": 4, "cache_write_tokens": 5}, {}, 7 + 8 + 55),
        ({"input_tokens": 10, "cache_write_tokens": 4}, NO_KINDS, 70),
        ({"output_tokens": 10, "reasoning_tokens": 10}, {}, 1010),
        ({"output_tokens": 10, "reasoning_tokens": 6}, {}, 124 + 606),
        ({"output_tokens": 10, "reasoning_tokens": 6}, NO_KINDS, 310),
        ({"output_tokens": 10, "reasoning_tokens": 6}, {"reasoning_per_million": Decimal(0)}, 124),
        ({"input_tokens": 9, "output_tokens": 9, "reasoning_tokens": 9}, FREE, 0),
    ],
)
def test_usage_times_price(usage: Any, changes: Any, millionths: int) -> None:
    assert cost_of(Usage(**usage), price(**changes)) == Decimal(millionths) / 1_000_000


def test_a_cost_is_exact_until_it_is_booked_and_then_rounded_half_up() -> None:
    tiny = price(input_per_million=Decimal("0.0000005"))
    exact = cost_of(Usage(input_tokens=1), tiny)
    assert exact == Decimal("0.0000000000005")
    assert to_ledger(exact) == Decimal("0.000000000001")
    half = cost_of(Usage(input_tokens=1), price(input_per_million=Decimal("2.5")))
    assert to_ledger(half) == Decimal("0.0000025")
    assert to_message(to_ledger(half)) == Decimal("0.000003")


TOKENS = st.integers(min_value=0, max_value=10_000_000)


@given(st.tuples(TOKENS, TOKENS, TOKENS), st.tuples(TOKENS, TOKENS))
def test_kinds_that_cost_the_same_cost_what_the_whole_costs(
    input_parts: tuple[int, int, int], output_parts: tuple[int, int]
) -> None:
    flat = price(1, **dict.fromkeys(FREE, Decimal("3.7")))
    usage = Usage(
        input_tokens=sum(input_parts),
        cached_tokens=input_parts[0],
        cache_write_tokens=input_parts[1],
        output_tokens=sum(output_parts),
        reasoning_tokens=output_parts[0],
    )
    assert cost_of(usage, flat) == usage.total_tokens * Decimal("3.7") / 1_000_000
    assert cost_of(usage, price()).quantize(Decimal("1e-12")) == cost_of(usage, price())
