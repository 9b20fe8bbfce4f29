"""What LiteLLM makes of any vendor's usage."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from callsheet.llm.usage.forms.chat import OPENAI

_DETAILS: Final = (
    "initial_prompt_tokens",
    "tool_use_tokens",
    "cached_tokens_details",
    "cache_creation_token_details",
    "character_count",
    "image_count",
    "query_count",
    "audio_length_seconds",
    "video_length_seconds",
    "web_search_requests",
    "google_maps_grounding_requests",
)

LITELLM: Final = replace(
    OPENAI,
    cached=(*OPENAI.cached, "cache_read_input_tokens", "prompt_cache_hit_tokens"),
    written=("cache_creation_input_tokens", *OPENAI.written),
    cache_type="prompt_tokens_details.cache_type",
    notes=(
        *OPENAI.notes,
        *(f"prompt_tokens_details.{key}" for key in _DETAILS),
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
