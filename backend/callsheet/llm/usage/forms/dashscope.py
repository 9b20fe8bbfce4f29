"""Alibaba's DashScope: its compatible endpoint and its own."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from callsheet.llm.usage.form import Form, kinds_of
from callsheet.llm.usage.forms.chat import OPENAI

_WRITTEN: Final = (
    "prompt_tokens_details.cache_creation_input_tokens",
    "prompt_tokens_details.cache_creation.ephemeral_5m_input_tokens",
)
_CACHE_TYPE: Final = "prompt_tokens_details.cache_type"

DASHSCOPE: Final = replace(
    OPENAI,
    written=_WRITTEN,
    cache_type=_CACHE_TYPE,
    notes=(*OPENAI.notes, "x_details"),
)
"""A hit of the explicit cache has another price than one of the implicit cache."""

DASHSCOPE_NATIVE: Final = Form(
    inputs=("input_tokens",),
    outputs=("output_tokens",),
    cached=("prompt_tokens_details.cached_tokens", "input_tokens_details.cached_tokens"),
    written=_WRITTEN,
    reasonings=("output_tokens_details.reasoning_tokens",),
    cache_type=_CACHE_TYPE,
    notes=(
        *kinds_of("input_tokens_details", "output_tokens_details", "prompt_tokens_details"),
        "image_tokens",
        "audio_tokens",
        "video_tokens",
        "x_details",
        "plugins",
    ),
)
"""Pictures, sound and film are inside the input, and told once more beside it."""
