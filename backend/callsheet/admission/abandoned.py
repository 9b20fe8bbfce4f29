"""A run that has nobody."""

from __future__ import annotations

from uuid import UUID

from callsheet.runs.lease import Lease


class Abandoned(Exception):
    """The session's active run has nobody who works on it: it must be ended first."""

    def __init__(self, run_id: UUID, lease: Lease) -> None:
        super().__init__(str(run_id))
        self.run_id = run_id
        self.lease = lease
