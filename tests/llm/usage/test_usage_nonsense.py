"""Where a usage object cannot be taken as it is, the row says so and how it was estimated."""

from __future__ import annotations

from typing import Any

import pytest

from callsheet.events.usage import MeteredUsage, Usage
from callsheet.llm.usage.metered import metered
from tests.llm.usage.cases import ESTIMATE


@pytest.mark.parametrize(
    "raw",
    [
        None,
        {},
        [],
        "7",
        7,
        {"x": 1},
        {"prompt_tokens": None, "completion_tokens": None},
        {"total_tokens": "80"},
        {"total_tokens": 0},
        {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
        {"prompt_tokens": -1, "completion_tokens": "7"},
    ],
)
def test_without_a_single_count_the_words_are_counted_and_never_zero(raw: Any) -> None:
    assert metered(raw, ESTIMATE) == MeteredUsage(
        usage=ESTIMATE, source="estimated", raw=raw, method="tokens"
    )


@pytest.mark.parametrize(
    "bad", [-1, "12", True, 1.5, float("nan"), float("inf"), 10**12, [7], {"of": 7}]
)
def test_a_count_that_is_none_is_estimated_and_the_sound_one_kept(bad: Any) -> None:
    of_prompt = metered({"prompt_tokens": bad, "completion_tokens": 7}, ESTIMATE)
    of_answer = metered({"prompt_tokens": 7, "completion_tokens": bad}, ESTIMATE)

    assert of_prompt.usage == Usage(input_tokens=50, output_tokens=7, reasoning_tokens=5)
    assert of_answer.usage == Usage(input_tokens=7, output_tokens=20, reasoning_tokens=5)
    for counted in (of_prompt, of_answer):
        assert (counted.source, counted.method) == ("estimated", "partial")
        assert counted.raw is not None


@pytest.mark.parametrize(
    "details",
    [
        {"cached_tokens": 11},
        {"cached_tokens": 6, "cache_write_tokens": 5},
        {"cached_tokens": -3},
        {"cached_tokens": "many"},
    ],
)
def test_a_hit_that_cannot_be_is_no_discount(details: dict[str, Any]) -> None:
    raw = {"prompt_tokens": 10, "completion_tokens": 7, "prompt_tokens_details": details}

    assert metered(raw, ESTIMATE) == MeteredUsage(
        usage=Usage(input_tokens=10, output_tokens=7, reasoning_tokens=5),
        source="estimated",
        raw=raw,
        method="partial",
    )


@pytest.mark.parametrize("total", [{}, {"total_tokens": 15}])
def test_more_reasoning_than_output_is_added_to_it_and_marked(total: dict[str, int]) -> None:
    reasoning = {"completion_tokens_details": {"reasoning_tokens": 20}}
    raw = {"prompt_tokens": 10, "completion_tokens": 5, **reasoning, **total}
    counted = metered(raw, ESTIMATE)

    assert counted.usage == Usage(input_tokens=10, output_tokens=25, reasoning_tokens=20)
    assert (counted.source, counted.method) == ("estimated", "partial")


@pytest.mark.parametrize(
    ("raw", "usage"),
    [
        # the prompt is estimated, the rest is output
        ({"total_tokens": 80}, Usage(input_tokens=50, output_tokens=30, reasoning_tokens=5)),
        ({"total_tokens": 30}, Usage(input_tokens=30)),
        (
            {"total_tokens": 80, "prompt_tokens": 60},
            Usage(input_tokens=60, output_tokens=20, reasoning_tokens=5),
        ),
    ],
)
def test_a_total_alone_is_shared_out(raw: dict[str, Any], usage: Usage) -> None:
    counted = metered(raw, ESTIMATE, "minimax")

    assert (counted.usage, counted.source, counted.method) == (usage, "estimated", "total")


def test_counts_that_stand_beside_the_input_belong_to_it_in_an_estimate_too() -> None:
    raw = {"input_tokens": 300, "cache_read_input_tokens": 600, "output_tokens": "?"}
    counted = metered(raw, ESTIMATE, "anthropic")

    assert (counted.usage.input_tokens, counted.usage.cached_tokens) == (900, 0)
    assert counted.usage.output_tokens == 20


def test_of_an_answer_that_broke_off_the_prompt_is_known_and_the_output_at_least() -> None:
    begun = {"input_tokens": 300, "cache_read_input_tokens": 600, "output_tokens": 1}
    counted = metered(begun, ESTIMATE, "anthropic", final=False)

    assert (counted.source, counted.method) == ("estimated", "last_known")
    assert counted.usage == Usage(
        input_tokens=900, cached_tokens=600, output_tokens=20, reasoning_tokens=5
    )
    so_far = {"prompt_tokens": 100, "completion_tokens": 300}
    assert metered(so_far, ESTIMATE, "vllm", final=False).usage.output_tokens == 300


def test_counts_that_fit_singly_but_no_column_together_are_nonsense() -> None:
    most = 1_000_000_000
    raw = {"input_tokens": most, "cache_read_input_tokens": most, "output_tokens": 1}
    counted = metered(raw, ESTIMATE, "anthropic")

    assert counted.source == "estimated"
    assert counted.usage.input_tokens == most


def test_what_the_database_cannot_hold_is_replaced_in_the_kept_object() -> None:
    raw = {"prompt_tokens": 3, "completion_tokens": 1, "tier": "a\x00b\ud800"}
    kept = metered(raw, ESTIMATE)

    assert kept.source == "provider"
    assert kept.raw == {"prompt_tokens": 3, "completion_tokens": 1, "tier": "a\ufffdb\ufffd"}


def test_an_object_without_bounds_is_read_but_not_kept() -> None:
    raw = {"prompt_tokens": 3, "completion_tokens": 1, "filler": "x" * 20_000}
    kept = metered(raw, ESTIMATE)

    assert kept.usage == Usage(input_tokens=3, output_tokens=1)
    assert set(kept.raw) == {"dropped_bytes"}
    assert kept.raw["dropped_bytes"] > 20_000
