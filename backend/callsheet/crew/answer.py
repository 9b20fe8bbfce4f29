"""One answer of a model, whole."""

from __future__ import annotations

from dataclasses import dataclass

from callsheet.events.call import AnswerFinished, RequestedTool


@dataclass(frozen=True, slots=True)
class Answer:
    """What the model said, thought and asked for; `finish_reason` is the provider's word."""

    message_id: str
    text: str
    reasoning: str
    tool_calls: tuple[RequestedTool, ...]
    finish_reason: str | None = None


def answer_of(stored: AnswerFinished) -> Answer:
    """The answer that the journal holds."""
    return Answer(
        message_id=stored.message_id,
        text=stored.text,
        reasoning=stored.reasoning,
        tool_calls=stored.tool_calls,
    )
