"""A run that a new one may not pass by."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from callsheet.kit.errors import Conflict
from callsheet.runs.lease import Lease


@dataclass(frozen=True, slots=True)
class RunInTheWay:
    """A run of the same session that is active or waits, or one that has the same id already.

    `is_waiting`: for people; `is_behind`: for the session's active run to end.
    """

    id: UUID
    user_id: UUID
    session_id: UUID
    user_message_id: UUID | None
    lease: Lease
    is_active: bool
    is_waiting: bool
    is_behind: bool = False


def run_active(run_id: UUID) -> Conflict:
    """Nothing else may run in the session now."""
    return Conflict(
        f"The session has an active run, {run_id}. Wait for its end or cancel it.",
        code="run_active",
        runId=str(run_id),
    )
