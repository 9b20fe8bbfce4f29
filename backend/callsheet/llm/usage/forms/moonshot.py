"""Moonshot's Kimi: the cache hit at the top, perhaps in the details too."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from callsheet.llm.usage.forms.chat import OPENAI

MOONSHOT: Final = replace(OPENAI, cached=("cached_tokens", *OPENAI.cached))
"""Its streams carry the object in `choices[0].usage` of the last chunk with a choice."""
