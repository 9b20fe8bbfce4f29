"""The model that answers while no real one is connected."""

from __future__ import annotations

from typing import Final

from callsheet.llm.model import Model

REHEARSAL: Final = Model(
    model_code="rehearsal",
    factory="rehearsal",
    upstream_model="rehearsal",
    base_url="rehearsal:",
    api_key=None,
    context_window_tokens=131_072,
    max_output_tokens=4_096,
    structured_output="json_schema",
    is_rehearsal=True,
)
