"""What LiteLLM makes of any vendor's usage."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from callsheet.llm.usage.forms.chat import OPENAI

LITELLM: Final = replace(
    OPENAI,
    cached=(*OPENAI.cached, "cache_read_input_tokens", "prompt_cache_hit_tokens"),
    written=("cache_creation_input_tokens", *OPENAI.written),
    notes=(
        *OPENAI.notes,
        "prompt_tokens_details.character_count",
        "prompt_tokens_details.image_count",
        "prompt_tokens_details.video_length_seconds",
        "prompt_tokens_details.web_search_requests",
        "prompt_tokens_details.cache_creation_token_details",
        "prompt_cache_miss_tokens",
        "server_tool_use",
        "service_tier",
        "inference_geo",
        "speed",
        "cost",
        "cost_details",
        "is_byok",
    ),
)
"""Its prompt holds the cache's tokens already, also where the vendor's own does not."""
