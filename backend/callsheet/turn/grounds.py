"""What an answer rests on, as its message keeps it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from callsheet.events.source import SourceFound


def grounds(sources: Sequence[SourceFound]) -> dict[str, Any]:
    """`sources` that tools found before the answer was whole, in the order of their numbers; or
    `model_only` where there are none: nothing but the model vouches for what it says.
    """
    if not sources:
        return {"model_only": True}
    return {"sources": [_kept(source) for source in sources]}


def _kept(source: SourceFound) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "number": source.number,
        "url": source.url,
        "title": source.title,
        "tool_call_id": source.tool_call_id,
    }
    if source.snippet:
        fields["snippet"] = source.snippet
    if source.published is not None:
        fields["published"] = source.published
    return fields
