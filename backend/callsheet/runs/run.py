"""A run as the rooms above see it: one attempt to answer one message."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from callsheet.events.usage import ModelUsage

RunStatus = Literal[
    "queued", "running", "waiting_input", "succeeded", "failed", "cancelled", "interrupted"
]


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One row of `runs`; `behind`: it waits for its session's active run to end.

    `raw_run_id` and `raw_thread_id` are the client's own spelling. `usage` is what the run used
    of each model, empty until it has ended.
    """

    id: UUID
    session_id: UUID
    user_id: UUID
    workflow: str
    revision: str | None
    status: RunStatus
    raw_run_id: str
    raw_thread_id: str
    parent_run_id: UUID | None
    user_message_id: UUID | None
    error_code: str | None
    error_message: str | None
    trace_id: str | None
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    behind: bool = False
    usage: tuple[ModelUsage, ...] = ()
