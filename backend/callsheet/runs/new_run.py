"""A run that is about to be let in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from callsheet.runs.priority import INTERACTIVE


@dataclass(frozen=True, slots=True)
class NewRun:
    """A queued run. `worker_id` is the process that will work on it, None: it waits for one, for at
    most `waiting_s` seconds. `input` is what came beside. `behind`: it waits for the session's
    active run first.

    `continues_run_id` is the run that it goes on from.
    """

    id: UUID
    session_id: UUID
    user_id: UUID
    workflow: str
    raw_run_id: str
    raw_thread_id: str
    parent_run_id: UUID | None
    user_message_id: UUID | None
    protocol: str
    worker_id: str | None
    trace_id: str
    input: Mapping[str, Any]
    continues_run_id: UUID | None = None
    priority: int = INTERACTIVE
    waiting_s: float | None = None
    behind: bool = False
