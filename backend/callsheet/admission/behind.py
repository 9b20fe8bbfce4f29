"""Runs that are let in while their session's run is active: they begin after it, in their order."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from callsheet.admission.admitted import AdmissionRequest
from callsheet.runs.in_the_way import RunInTheWay, run_active


def busy_with(
    request: AdmissionRequest, active: UUID | None, others: Sequence[RunInTheWay]
) -> UUID | None:
    """The run after which this one may begin; None where it may at once.

    That is the active one, or one that waits for its end as well, unless the session waits for
    people: what its workflow says of a new message holds then.

    Raises:
        Conflict: `run_active`, where the workflow wants no run to wait.
    """
    here = [run for run in others if run.session_id == request.session_id]
    behind = [run.id for run in here if run.is_behind]
    if active is None and (not behind or any(run.is_waiting for run in here)):
        return None
    found = active or behind[0]
    if request.when_busy == "refuse":
        raise run_active(found)
    return found
