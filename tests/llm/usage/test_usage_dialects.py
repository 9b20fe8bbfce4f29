"""The same numbers mean different things in different dialects; none is guessed."""

from __future__ import annotations

from typing import Any

import pytest

from callsheet.events.usage import Usage
from callsheet.llm.usage.dialect import UsageDialect
from callsheet.llm.usage.metered import metered
from tests.llm.usage.cases import ESTIMATE

ASIDE = {
    "input_tokens": 300,
    "output_tokens": 5,
    "cache_read_input_tokens": 600,
    "input_tokens_details": {"cached_tokens": 200},
}


@pytest.mark.parametrize(
    ("dialect", "usage"),
    [
        ("responses", Usage(input_tokens=300, cached_tokens=200, output_tokens=5)),
        ("anthropic", Usage(input_tokens=900, cached_tokens=600, output_tokens=5)),
    ],
)
def test_one_object_is_read_as_the_configured_dialect_says(
    dialect: UsageDialect, usage: Usage
) -> None:
    assert metered(ASIDE, ESTIMATE, dialect).usage == usage


def test_a_spelling_of_another_vendor_is_no_discount() -> None:
    raw = {"prompt_tokens": 100, "completion_tokens": 1, "cached_tokens": 60}

    assert metered(raw, ESTIMATE).usage.cached_tokens == 0
    assert metered(raw, ESTIMATE, "moonshot").usage.cached_tokens == 60


@pytest.mark.parametrize(
    ("raw", "usage"),
    [
        # 448 of 482 were reasoning, whether or not there is a total
        (
            {
                "prompt_tokens": 9,
                "completion_tokens": 482,
                "completion_tokens_details": {"reasoning_tokens": 448},
            },
            Usage(input_tokens=9, output_tokens=482, reasoning_tokens=448),
        ),
        ({"prompt_tokens": 3.0, "completion_tokens": 0}, Usage(input_tokens=3)),
        (
            {
                "prompt_tokens": 3,
                "completion_tokens": 1,
                "completion_tokens_details": None,
                "prompt_tokens_details": "?",
            },
            Usage(input_tokens=3, output_tokens=1),
        ),
        # of a total that explains nothing only the parts are billed
        (
            {"prompt_tokens": 3, "completion_tokens": 1, "total_tokens": 9},
            Usage(input_tokens=3, output_tokens=1),
        ),
    ],
)
def test_odd_but_sound_objects(raw: dict[str, Any], usage: Usage) -> None:
    counted = metered(raw, ESTIMATE)

    assert (counted.usage, counted.source) == (usage, "provider")


def test_an_output_that_is_missing_is_none_only_where_zeros_are_left_out() -> None:
    silent = {"promptTokenCount": 100, "totalTokenCount": 100}

    assert metered(silent, ESTIMATE, "gemini").usage == Usage(input_tokens=100)
    assert metered({**silent, "totalTokenCount": 130}, ESTIMATE, "gemini").method == "total"
    assert metered({"promptTokenCount": 100}, ESTIMATE, "gemini").method == "partial"
    openai = {"prompt_tokens": 100, "total_tokens": 100}
    assert metered(openai, ESTIMATE).source == "estimated"


def test_a_prompt_that_ollama_had_in_memory_is_estimated() -> None:
    counted = metered({"eval_count": 298}, ESTIMATE, "ollama")

    assert (counted.source, counted.method) == ("estimated", "partial")
    assert (counted.usage.input_tokens, counted.usage.output_tokens) == (50, 298)


def test_an_explicit_cache_of_dashscope_is_known_through_litellm_too() -> None:
    details = {"cached_tokens": 60, "cache_type": "ephemeral"}
    raw = {"prompt_tokens": 100, "completion_tokens": 1, "prompt_tokens_details": details}

    assert metered(raw, ESTIMATE, "litellm").cache_type == "explicit"
    assert metered(raw, ESTIMATE, "openai").cache_type == "implicit"
