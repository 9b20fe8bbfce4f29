"""The end of a run, as its row keeps it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from callsheet.runs.run import RunStatus

SESSION_STATUS: Final[Mapping[RunStatus, str]] = {
    "queued": "pending",
    "running": "running",
    "waiting_input": "running",
    "succeeded": "completed",
    "cancelled": "completed",
    "failed": "failed",
    "interrupted": "failed",
}
"""What a session's status is while this is the status of its last run."""


@dataclass(frozen=True, slots=True)
class RunEnd:
    """How a run ended; `usage` is the JSON of a list of `ModelUsage`."""

    run_id: UUID
    status: RunStatus
    usage: str
    error_code: str | None = None
    error_message: str | None = None
