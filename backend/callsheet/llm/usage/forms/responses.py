"""OpenAI's Responses protocol, which Ark, MiniMax and GLM speak too."""

from __future__ import annotations

from typing import Final

from callsheet.llm.usage.form import Form, kinds_of

RESPONSES: Final = Form(
    inputs=("input_tokens",),
    outputs=("output_tokens",),
    cached=("input_tokens_details.cached_tokens",),
    written=("input_tokens_details.cache_write_tokens",),
    reasonings=("output_tokens_details.reasoning_tokens",),
    notes=kinds_of("input_tokens_details", "output_tokens_details"),
)
