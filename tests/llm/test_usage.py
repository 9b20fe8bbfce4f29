"""Usage objects of the vendors, and nonsense."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from callsheet.events.usage import MeteredUsage, Usage
from callsheet.llm.usage import metered, read_usage

CASES = json.loads((Path(__file__).parent / "cases" / "usage.json").read_text("utf-8"))["cases"]
ESTIMATE = Usage(input_tokens=50, output_tokens=20, reasoning_tokens=5)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_a_vendor(case: dict[str, Any]) -> None:
    expected = Usage(**case["expected"])

    assert metered(case["raw_usage"], ESTIMATE) == MeteredUsage(
        usage=expected, source="provider", raw=case["raw_usage"]
    )


@pytest.mark.parametrize(
    ("raw", "usage"),
    [
        # counted apart: the total is the sum of all three
        (
            {
                "prompt_tokens": 10,
                "completion_tokens": 5,
                "total_tokens": 35,
                "completion_tokens_details": {"reasoning_tokens": 20},
            },
            Usage(input_tokens=10, output_tokens=25, reasoning_tokens=20),
        ),
        (
            {"prompt_tokens": 10, "completion_tokens": 5, "reasoning_tokens": 20},
            Usage(input_tokens=10, output_tokens=25, reasoning_tokens=20),
        ),
        # inside: 448 of 482
        (
            {
                "prompt_tokens": 9,
                "completion_tokens": 482,
                "completion_tokens_details": {"reasoning_tokens": 448},
            },
            Usage(input_tokens=9, output_tokens=482, reasoning_tokens=448),
        ),
        # the total says inside, the parts do not fit: the whole wins
        (
            {
                "prompt_tokens": 10,
                "completion_tokens": 5,
                "total_tokens": 15,
                "reasoning_tokens": 20,
            },
            Usage(input_tokens=10, output_tokens=5, reasoning_tokens=5),
        ),
        # two spellings are one hit
        (
            {
                "prompt_tokens": 100,
                "completion_tokens": 1,
                "prompt_cache_hit_tokens": 60,
                "prompt_tokens_details": {"cached_tokens": 60},
            },
            Usage(input_tokens=100, output_tokens=1, cached_tokens=60),
        ),
        # a gateway's zero does not hide the vendor's own spelling
        (
            {
                "prompt_tokens": 100,
                "completion_tokens": 1,
                "cached_tokens": 60,
                "prompt_tokens_details": {"cached_tokens": 0},
            },
            Usage(input_tokens=100, output_tokens=1, cached_tokens=60),
        ),
        (
            {"prompt_cache_hit_tokens": 6, "prompt_cache_miss_tokens": 4, "completion_tokens": 1},
            Usage(input_tokens=10, output_tokens=1, cached_tokens=6),
        ),
        ({"prompt_tokens": 3.0, "completion_tokens": 0}, Usage(input_tokens=3)),
        ({"prompt_tokens": 0, "completion_tokens": 0}, Usage()),
        (
            {
                "prompt_tokens": 3,
                "completion_tokens": 1,
                "completion_tokens_details": None,
                "x": "y",
            },
            Usage(input_tokens=3, output_tokens=1),
        ),
    ],
)
def test_what_the_numbers_mean(raw: dict[str, Any], usage: Usage) -> None:
    assert read_usage(raw) == usage


@pytest.mark.parametrize(
    "raw", [None, {}, [], "7", 7, {"prompt_tokens": 5}, {"x": 1}, {"completion_tokens": None}]
)
def test_no_usage_is_an_estimate_never_zero(raw: Any) -> None:
    counted = metered(raw, ESTIMATE)

    assert counted.source == "estimated"
    assert counted.usage.output_tokens == 20


@pytest.mark.parametrize(
    ("raw", "usage"),
    [
        (
            {"prompt_tokens": -1, "completion_tokens": 7},
            Usage(input_tokens=50, output_tokens=7, reasoning_tokens=5),
        ),
        (
            {"prompt_tokens": "12", "completion_tokens": 7},
            Usage(input_tokens=50, output_tokens=7, reasoning_tokens=5),
        ),
        (
            {"prompt_tokens": True, "completion_tokens": 7},
            Usage(input_tokens=50, output_tokens=7, reasoning_tokens=5),
        ),
        (
            {"prompt_tokens": 1.5, "completion_tokens": 7},
            Usage(input_tokens=50, output_tokens=7, reasoning_tokens=5),
        ),
        (
            {"prompt_tokens": 10**12, "completion_tokens": 7},
            Usage(input_tokens=50, output_tokens=7, reasoning_tokens=5),
        ),
        # more cached than there is: both sums stand, the discount does not
        (
            {"prompt_tokens": 10, "completion_tokens": 7, "cached_tokens": 11},
            Usage(input_tokens=10, output_tokens=7, reasoning_tokens=5),
        ),
        (
            {
                "prompt_tokens": 10,
                "completion_tokens": 7,
                "prompt_tokens_details": {"cached_tokens": 6, "cache_creation_input_tokens": 5},
            },
            Usage(input_tokens=10, output_tokens=7, reasoning_tokens=5),
        ),
        (
            {
                "prompt_tokens": 10,
                "completion_tokens": 7,
                "completion_tokens_details": {"reasoning_tokens": "many"},
            },
            Usage(input_tokens=10, output_tokens=7, reasoning_tokens=5),
        ),
        # only a total: the input is estimated, the rest is output
        ({"total_tokens": 80}, Usage(input_tokens=50, output_tokens=30, reasoning_tokens=5)),
        ({"total_tokens": 30}, Usage(input_tokens=30)),
        (
            {"total_tokens": 80, "prompt_tokens": 60},
            Usage(input_tokens=60, output_tokens=20, reasoning_tokens=5),
        ),
        ({"total_tokens": "80"}, ESTIMATE),
    ],
)
def test_nonsense_is_marked_and_what_is_sound_is_kept(raw: dict[str, Any], usage: Usage) -> None:
    assert metered(raw, ESTIMATE) == MeteredUsage(
        usage=usage, source="estimated", raw=raw, method="tokens"
    )


def test_what_the_database_cannot_hold_is_replaced_in_the_kept_object() -> None:
    raw = {"prompt_tokens": 3, "completion_tokens": 1, "tier": "a\x00b\ud800"}
    kept = metered(raw, ESTIMATE)
    assert kept.source == "provider"
    assert kept.raw == {"prompt_tokens": 3, "completion_tokens": 1, "tier": "a\ufffdb\ufffd"}
