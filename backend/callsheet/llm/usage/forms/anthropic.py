"""Anthropic's messages, which MiniMax and DeepSeek speak too."""

from __future__ import annotations

from typing import Final

from callsheet.llm.usage.form import Form

ANTHROPIC: Final = Form(
    inputs=("input_tokens",),
    outputs=("output_tokens",),
    cached=("cache_read_input_tokens",),
    written=("cache_creation_input_tokens",),
    cache="beside",
    notes=(
        "cache_creation.ephemeral_5m_input_tokens",
        "cache_creation.ephemeral_1h_input_tokens",
        "server_tool_use.web_search_requests",
        "server_tool_use.web_fetch_requests",
        "service_tier",
        "inference_geo",
    ),
)
"""The input counts neither what was read from the cache nor what was written to it."""
