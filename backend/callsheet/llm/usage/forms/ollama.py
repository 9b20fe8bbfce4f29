"""Ollama's own counts, and those of its compatible endpoint."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from callsheet.llm.usage.forms.chat import OPENAI

OLLAMA: Final = replace(
    OPENAI,
    inputs=("prompt_eval_count", *OPENAI.inputs),
    outputs=("eval_count", *OPENAI.outputs),
    notes=(
        *OPENAI.notes,
        "total_duration",
        "load_duration",
        "prompt_eval_duration",
        "eval_duration",
    ),
)
"""A prompt that it still held in memory has no count of its own: it is estimated."""
