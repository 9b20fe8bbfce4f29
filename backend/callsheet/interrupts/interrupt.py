"""An interrupt as the rooms above see it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from callsheet.events.interrupt import AnswerStatus, InterruptReason

InterruptStatus = Literal["open", "answered", "closed", "expired"]


@dataclass(frozen=True, slots=True)
class InterruptRecord:
    """One row of `interrupts`.

    `answered`: `answer_status` and `payload` are what was said, `answered_run_id` is the run that
    goes on with it. `closed`: the run was stopped, or the user went on with something else.
    """

    id: UUID
    run_id: UUID
    session_id: UUID
    user_id: UUID
    place: int
    reason: InterruptReason
    message: str
    tool_call_id: str | None
    tool: str | None
    response_schema: Mapping[str, Any] | None
    detail: Mapping[str, Any]
    status: InterruptStatus
    created_at: datetime
    expires_at: datetime
    answered_at: datetime | None = None
    answered_by: UUID | None = None
    answered_run_id: UUID | None = None
    answer_status: AnswerStatus | None = None
    payload: Any = None
