"""A key that no dialect knew yesterday may be something that is billed today."""

from __future__ import annotations

from typing import Any

import pytest

from callsheet.llm.usage.dialect import UsageDialect
from callsheet.llm.usage.unknown import unknown_keys


@pytest.mark.parametrize(
    ("raw", "dialect", "found"),
    [
        ({"prompt_tokens": 1, "video_seconds": 3}, "openai", ["video_seconds"]),
        ({"prompt_tokens_details": {"cached_tokens": 1, "new": 2}}, "openai", [
            "prompt_tokens_details.new"
        ]),
        ({"prompt_tokens_details": 7, "new": None}, "openai", []),
        ({"new": {"cached_tokens": 1}}, "openai", ["new"]),
        ({"cached_tokens": 1}, "moonshot", []),
        ({"cached_tokens": 1}, "openai", ["cached_tokens"]),
        ({"promptTokensDetails": [{"modality": "TEXT"}]}, "gemini", []),
        ("?", "openai", []),
        (None, "openai", []),
    ],
)  # fmt: skip
def test_what_a_dialect_does_not_know(raw: Any, dialect: UsageDialect, found: list[str]) -> None:
    assert unknown_keys(raw, dialect) == found
