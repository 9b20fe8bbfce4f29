"""The names of the dialects, as `models.yaml` writes them."""

from __future__ import annotations

from typing import Literal

UsageDialect = Literal[
    "openai",
    "responses",
    "dashscope",
    "dashscope_native",
    "deepseek",
    "moonshot",
    "minimax",
    "ark",
    "glm",
    "anthropic",
    "gemini",
    "ollama",
    "vllm",
    "litellm",
    "relay_reasoning_outside",
]
