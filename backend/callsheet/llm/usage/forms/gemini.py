"""Google's Gemini, its own `usageMetadata`."""

from __future__ import annotations

from typing import Final

from callsheet.llm.usage.form import Form

GEMINI: Final = Form(
    inputs=("promptTokenCount",),
    outputs=("candidatesTokenCount",),
    totals=("totalTokenCount",),
    cached=("cachedContentTokenCount",),
    reasonings=("thoughtsTokenCount",),
    more_input=("toolUsePromptTokenCount",),
    reasoning="beside",
    omits_zeros=True,
    notes=(
        "promptTokensDetails",
        "candidatesTokensDetails",
        "cacheTokensDetails",
        "toolUsePromptTokensDetails",
        "trafficType",
    ),
)
"""Thoughts are beside the candidates; a count of zero is left out."""
