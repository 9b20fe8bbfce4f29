"""What each vendor sends, what it means, and what it costs to the last digit."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any, get_args

import pytest

from callsheet.kit.money import to_message
from callsheet.llm.usage.dialect import UsageDialect
from callsheet.llm.usage.metered import metered
from callsheet.llm.usage.registry import FORMS
from callsheet.llm.usage.unknown import unknown_keys
from tests.llm.usage.cases import CASES, ESTIMATE, quote_of, raw_of, usage_of

each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])


@each_case
def test_a_usage_object_becomes_the_normal_form_and_its_cost(case: dict[str, Any]) -> None:
    raw = raw_of(case)
    counted = metered(raw, ESTIMATE, case["dialect"])

    assert counted.usage == usage_of(case)
    assert (counted.source, counted.method, counted.raw) == ("provider", None, raw)
    assert to_message(quote_of(case).cost(counted).exact) == Decimal(case["expected"]["cost"])


@each_case
def test_the_cost_is_that_of_exact_fractions(case: dict[str, Any]) -> None:
    usage, quote = usage_of(case), quote_of(case)
    tier = next(
        price
        for price in quote.prices
        if price.tier_max_input is None or usage.input_tokens <= price.tier_max_input
    )
    counted = metered(raw_of(case), ESTIMATE, case["dialect"])
    cached = tier.cached_per_million
    if counted.cache_type == "explicit":
        cached = tier.explicit_cached_per_million or cached
    write = tier.cache_write_per_million or tier.input_per_million
    plain = usage.input_tokens - usage.cached_tokens - usage.cache_write_tokens
    millionths = (
        plain * Fraction(tier.input_per_million)
        + usage.cached_tokens * Fraction(cached)
        + usage.cache_write_tokens * Fraction(write)
        + usage.output_tokens * Fraction(tier.output_per_million)
    )

    assert Fraction(quote.cost(counted).native) == millionths / 1_000_000


@each_case
def test_which_cache_was_hit_is_told_where_one_was(case: dict[str, Any]) -> None:
    counted = metered(raw_of(case), ESTIMATE, case["dialect"])
    used = counted.usage.cached_tokens or counted.usage.cache_write_tokens
    asked_for = "ephemeral" in str(case["raw_usage"]) and case["dialect"] == "dashscope"

    assert counted.cache_type == (("explicit" if asked_for else "implicit") if used else None)
    assert counted.cache_type == case["expected"].get("cache_type", counted.cache_type)


@each_case
def test_nothing_in_a_known_shape_is_unknown(case: dict[str, Any]) -> None:
    assert unknown_keys(raw_of(case), case["dialect"]) == []


def test_every_dialect_has_a_case() -> None:
    assert set(FORMS) == set(get_args(UsageDialect))
    assert {case["dialect"] for case in CASES} >= set(FORMS)
