"""What a run waits for, and what a person said to it."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

import msgspec

from callsheet.events.base import RunEvent

InterruptReason = Literal["question", "approval", "client_tool", "budget"]
AnswerStatus = Literal["resolved", "cancelled"]


class Interrupt(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing that the run cannot go on without.

    `tool_call_id` is the call that waits: a question's answer is its result, an approval lets it
    run, the result of a `client_tool` is the client's. `message` is for people; `response_schema`
    is a JSON schema of the answer's payload; `detail` has what an answer needs to be shown beside.
    """

    interrupt_id: str
    reason: InterruptReason
    message: str
    expires_at: datetime
    tool_call_id: str | None = None
    tool: str | None = None
    response_schema: dict[str, Any] | None = None
    detail: dict[str, Any] = msgspec.field(default_factory=dict)


class InterruptAnswered(RunEvent, frozen=True, kw_only=True, tag="interrupt_answered"):
    """An interrupt of the run that this one goes on from was answered. Not on the wire.

    `cancelled`: the person would not say. `payload` fits the interrupt's schema.
    """

    interrupt_id: str
    reason: InterruptReason
    status: AnswerStatus
    tool_call_id: str | None = None
    payload: Any = None
