"""Which rows of `runs` are active, in words that the database finds in its small indexes."""

from __future__ import annotations

from callsheet.db.states import one_of
from callsheet.runs.states import ACTIVE


def is_active(run: str) -> str:
    """A condition on the row that the statement calls `run`.

    The indexes of active runs have no other rows, and are two: of those that are behind another,
    and of the rest. Who asks of all sessions at once must name both, or every run there ever was
    is read.
    """
    return (
        f"({run}.status IN ({one_of(ACTIVE)}) AND NOT {run}.behind"
        f" OR {run}.status = 'queued' AND {run}.behind)"
    )
