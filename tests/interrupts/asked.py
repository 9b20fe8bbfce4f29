"""Interrupts as they stand in the database."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from callsheet.events.interrupt import AnswerStatus
from callsheet.interrupts.interrupt import InterruptRecord

NOW = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)
RUN, NEXT, OTHER = (UUID(int=number) for number in (1, 2, 3))

TEXT = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}

QUESTION = InterruptRecord(
    id=UUID(int=10),
    run_id=RUN,
    session_id=UUID(int=4),
    user_id=UUID(int=5),
    place=0,
    reason="question",
    message="Which colour?",
    tool_call_id="call-1",
    tool="ask_user",
    response_schema=TEXT,
    detail={},
    status="open",
    created_at=NOW - timedelta(hours=1),
    expires_at=NOW + timedelta(hours=1),
)
APPROVAL = replace(
    QUESTION, id=UUID(int=11), place=1, reason="approval", tool_call_id="call-2", tool="send_mail"
)
CLIENT = replace(
    QUESTION,
    id=UUID(int=12),
    place=2,
    reason="client_tool",
    tool_call_id="call-3",
    response_schema=None,
)


def answered(
    record: InterruptRecord, status: AnswerStatus, payload: Any, run_id: UUID = NEXT
) -> InterruptRecord:
    """The same, after it was answered."""
    return replace(
        record,
        status="answered",
        answered_at=NOW,
        answered_by=record.user_id,
        answered_run_id=run_id,
        answer_status=status,
        payload=payload,
    )
