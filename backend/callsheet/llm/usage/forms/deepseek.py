"""DeepSeek: the prompt is told as hit and miss of its cache."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from callsheet.llm.usage.forms.chat import OPENAI

_HIT: Final = "prompt_cache_hit_tokens"
_MISS: Final = "prompt_cache_miss_tokens"

DEEPSEEK: Final = replace(
    OPENAI,
    inputs=("prompt_tokens", (_HIT, _MISS)),
    cached=(_HIT, *OPENAI.cached),
    notes=(*OPENAI.notes, _MISS),
)
"""Both spellings of a hit may come; they are one."""
