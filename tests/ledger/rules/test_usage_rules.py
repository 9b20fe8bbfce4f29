"""The ways in which others' cost goes wrong while usage is read, each with the rule that it needs.

The numbers are those of the list of 25 failures that the ledger is built against.
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from functools import reduce
from typing import Any

import pytest

from callsheet.events.usage import MeteredUsage, Usage
from callsheet.kit.money import to_message
from callsheet.ledger.price.cost import cost_of
from callsheet.ledger.price.quote import Quote
from callsheet.llm.chat import UsagePart
from callsheet.llm.openai_compat.body import body_of
from callsheet.llm.usage.fold import folded
from callsheet.llm.usage.metered import metered
from callsheet.llm.usage.unknown import unknown_keys
from tests.crew.asking import Desk
from tests.fakes.chat import text
from tests.ledger.prices import price
from tests.llm.calling import a_model, a_request
from tests.llm.openai_compat.streams import chunk, parts_of
from tests.llm.usage.cases import ESTIMATE, NAMED, quote_of, raw_of, usage_of


def cost_of_case(name: str, **changes: Any) -> Decimal:
    """What the usage object of a case costs, with fields of its price row changed."""
    case = NAMED[name]
    quote = quote_of(case)
    rows = tuple(replace(row, **changes) for row in quote.prices)
    counted = metered(raw_of(case), ESTIMATE, case["dialect"])
    return to_message(replace(quote, prices=rows).cost(counted).exact)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("anthropic_cache_read_and_write", "anthropic_via_litellm"),
        ("gemini_native_thoughts_beside", "gemini_via_litellm_text_includes_cached"),
    ],
)
def test_rule_01_cached_tokens_are_billed_once_in_whichever_form_they_come(
    one: str, other: str
) -> None:
    usage = usage_of(NAMED[one])
    plain = usage.input_tokens - usage.cached_tokens - usage.cache_write_tokens

    assert plain >= 0
    assert metered(raw_of(NAMED[one]), ESTIMATE, NAMED[one]["dialect"]).usage == usage
    assert cost_of_case(one) == cost_of_case(other)


def test_rule_02_both_spellings_of_a_hit_are_one_hit() -> None:
    both, one = NAMED["deepseek_both_spellings"], NAMED["deepseek_hit_miss_only"]

    assert metered(raw_of(both), ESTIMATE, "deepseek").usage.cached_tokens == 600
    assert cost_of_case(both["name"]) == cost_of_case(one["name"])


def test_rule_03_a_hit_costs_what_its_row_says_and_never_nothing_by_absence() -> None:
    hit = Usage(input_tokens=1_000_000, cached_tokens=1_000_000)
    no_discount = price(cached_per_million=price().input_per_million)

    assert cost_of(hit, no_discount) == price().input_per_million
    assert cost_of(hit, price()) == price().cached_per_million


def test_rule_04_explicit_and_implicit_hits_and_writes_have_prices_of_their_own() -> None:
    name = "dashscope_explicit_cache_hit"

    assert cost_of_case(name) < cost_of_case("dashscope_implicit_hit_of_a_model_with_both_prices")
    assert cost_of_case(name, explicit_cached_per_million=None) == cost_of_case(
        "dashscope_implicit_hit_of_a_model_with_both_prices"
    )
    assert cost_of_case("dashscope_explicit_cache_write") > cost_of_case(
        "dashscope_explicit_cache_write", cache_write_per_million=None
    )


def test_rule_05_reasoning_is_billed_once_whether_inside_or_outside() -> None:
    inside = {
        "prompt_tokens": 1000,
        "completion_tokens": 500,
        "total_tokens": 1500,
        "completion_tokens_details": {"reasoning_tokens": 400},
    }
    outside = raw_of(NAMED["reasoning_outside_shown_by_the_total"])

    for raw in (inside, outside):
        usage = metered(raw, ESTIMATE).usage
        assert (usage.output_tokens, usage.reasoning_tokens) == (500, 400)


def test_rule_06_sums_so_far_of_a_stream_are_not_added_up() -> None:
    parts = parts_of(
        *(
            chunk({"content": "x"}, usage={"prompt_tokens": 100, "completion_tokens": so_far})
            for so_far in range(1, 25)
        ),
        chunk({}, "stop"),
    )
    last = [part.raw for part in parts if isinstance(part, UsagePart)][-1]

    assert metered(last, ESTIMATE, "vllm").usage == Usage(input_tokens=100, output_tokens=24)


async def test_rule_07_usage_is_asked_for_and_what_does_not_come_is_an_estimate() -> None:
    assert body_of(a_request(a_model()))["stream_options"] == {"include_usage": True}
    desk = Desk.of(text("A whole sentence.", usage=None))
    await desk.ask()

    (call,) = desk.calls
    assert (call.metered.source, call.metered.method) == ("estimated", "tokens")
    assert call.metered.usage.total_tokens > 0


def test_rule_08_usage_in_an_odd_place_is_found_and_an_odd_key_is_told() -> None:
    case = NAMED["moonshot_choice_level_both_spellings"]
    last = {"index": 0, "delta": {}, "finish_reason": "stop", "usage": case["raw_usage"]}
    parts = parts_of(chunk({"content": "x"}), {"id": "a1", "choices": [last]})
    [found] = [part.raw for part in parts if isinstance(part, UsagePart)]

    assert metered(found, ESTIMATE, "moonshot").usage == usage_of(case)
    assert unknown_keys(found, "moonshot") == []
    assert unknown_keys({**found, "cached_seconds": 3}, "moonshot") == ["cached_seconds"]


def test_rule_18_an_estimate_never_replaces_what_the_provider_counted() -> None:
    far_off = Usage(input_tokens=30_000, output_tokens=9_000)
    raw = {"prompt_tokens": 10_000, "completion_tokens": 3}

    assert metered(raw, far_off) == MeteredUsage(
        usage=Usage(input_tokens=10_000, output_tokens=3), source="provider", raw=raw
    )


@pytest.mark.parametrize("raw", [None, {}, {"prompt_tokens": None, "completion_tokens": None}])
def test_rule_21_usage_that_is_unknown_is_estimated_and_not_zero(raw: Any) -> None:
    counted = metered(raw, ESTIMATE)

    assert counted.source == "estimated"
    assert counted.usage == ESTIMATE


def test_rule_22_seconds_are_told_as_a_sum_so_far_and_priced_by_the_second() -> None:
    told = reduce(folded, [None, {"duration": 2}, {"duration": 4}, None], None)
    row = price(unit="second", per_unit=Decimal("0.00033"), currency="CNY")
    heard = MeteredUsage(usage=Usage(), source="provider", units=Decimal(told["duration"]))

    assert told == {"duration": 4}
    assert Quote((row,), "CNY", "CNY").cost(heard).native == Decimal("0.001320000000")


def test_rule_23_pictures_inside_the_input_are_not_added_and_made_ones_are_priced_each() -> None:
    case = NAMED["dashscope_native_image_input"]
    row = price(unit="image", per_unit=Decimal("0.2"))
    made = MeteredUsage(usage=Usage(input_tokens=77), source="provider", units=Decimal(3))

    assert metered(raw_of(case), ESTIMATE, "dashscope_native").usage.input_tokens == 1270
    assert Quote((row,), "USD", "USD").cost(made).native == Decimal("0.600000000000")
