"""Who may write a run."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Lease:
    """The worker that has the run, None where it waits for one. `epoch` grows with each taking."""

    worker_id: str | None
    epoch: int
