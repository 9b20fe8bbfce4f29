"""The states of a run."""

from __future__ import annotations

from typing import Final

from callsheet.kit.states import StateTable
from callsheet.runs.run import RunStatus

RUN: Final[StateTable[RunStatus]] = StateTable(
    {
        "queued": ("running", "failed", "cancelled", "interrupted"),
        # Running again: another worker goes on with it.
        "running": (
            "running",
            "waiting_input",
            "succeeded",
            "failed",
            "cancelled",
            "interrupted",
        ),
        # Its answer is another run, which goes on from it.
        "waiting_input": ("succeeded", "failed", "cancelled"),
        "succeeded": (),
        "failed": (),
        "cancelled": (),
        "interrupted": (),
    }
)

ACTIVE: Final[tuple[RunStatus, ...]] = ("queued", "running")
"""A session has at most one run in these."""
