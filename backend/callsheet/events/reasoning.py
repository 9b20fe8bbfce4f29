"""What the model thinks before it answers: `reasoning_content` or a <think> block."""

from __future__ import annotations

from callsheet.events.base import RunEvent
from callsheet.events.usage import Bill


class ReasoningStarted(RunEvent, frozen=True, kw_only=True, tag="reasoning_started"):
    """Reasoning begins; `message_id` is the answer that it belongs to."""

    message_id: str
    agent_run_id: str
    visible: bool


class ReasoningDelta(RunEvent, frozen=True, kw_only=True, tag="reasoning_delta"):
    """More reasoning; never empty."""

    message_id: str
    text: str


class ReasoningEnded(RunEvent, frozen=True, kw_only=True, tag="reasoning_ended"):
    """The reasoning is over."""

    message_id: str
    bill: Bill | None = None
