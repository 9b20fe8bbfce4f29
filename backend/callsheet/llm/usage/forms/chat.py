"""OpenAI's chat protocol, and the vendors that keep to its usage object."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from callsheet.llm.usage.form import Form, kinds_of

OPENAI: Final = Form(
    inputs=("prompt_tokens",),
    outputs=("completion_tokens",),
    cached=("prompt_tokens_details.cached_tokens",),
    written=(
        "prompt_tokens_details.cache_write_tokens",
        "prompt_tokens_details.cache_creation_tokens",
    ),
    reasonings=("completion_tokens_details.reasoning_tokens",),
    notes=(
        *kinds_of("prompt_tokens_details", "completion_tokens_details"),
        "completion_tokens_details.accepted_prediction_tokens",
        "completion_tokens_details.rejected_prediction_tokens",
    ),
)
"""Cached and cache-write tokens inside the prompt, reasoning inside the completion."""

VLLM: Final = OPENAI
"""The same, in each chunk as the sum so far; details are null where nothing is told."""

GLM: Final = OPENAI
"""Zhipu, Z.ai."""

ARK: Final = replace(
    OPENAI,
    notes=(
        *OPENAI.notes,
        "prompt_tokens_details.provisioned_tokens",
        "completion_tokens_details.provisioned_tokens",
    ),
)
"""Volcano Engine's Doubao."""

MINIMAX: Final = replace(
    OPENAI,
    notes=(*OPENAI.notes, "total_characters"),
)
"""Both of its chat endpoints, the old and the compatible one. Old streams tell a total alone."""

REASONING_OUTSIDE: Final = replace(
    OPENAI,
    reasonings=(*OPENAI.reasonings, "reasoning_tokens"),
    reasoning="beside",
)
"""A relay whose completion leaves reasoning out, whatever its total says."""
