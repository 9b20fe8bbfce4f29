"""One answer of a model, whole."""

from __future__ import annotations

from dataclasses import dataclass

from callsheet.events.call import RequestedTool


@dataclass(frozen=True, slots=True)
class Answer:
    """What the model said, thought and asked for; `finish_reason` is the provider's word."""

    message_id: str
    text: str
    reasoning: str
    tool_calls: tuple[RequestedTool, ...]
    finish_reason: str | None = None
