"""Text of an answer as it streams. Only the text of the visible stage is an assistant's message."""

from __future__ import annotations

from callsheet.events.base import RunEvent
from callsheet.events.usage import Bill


class TextStarted(RunEvent, frozen=True, kw_only=True, tag="text_started"):
    """Text begins. `visible` false: an inner stage's text, which a client shows as reasoning."""

    message_id: str
    agent_run_id: str
    visible: bool


class TextDelta(RunEvent, frozen=True, kw_only=True, tag="text_delta"):
    """More text; never empty."""

    message_id: str
    text: str


class TextEnded(RunEvent, frozen=True, kw_only=True, tag="text_ended"):
    """The text is complete (or cut: see the message's status)."""

    message_id: str
    bill: Bill | None = None
