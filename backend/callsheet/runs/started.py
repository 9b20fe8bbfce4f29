"""A run that was let in, with a view of what happens in it."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from uuid import UUID

from callsheet.events.entry import Entry


@dataclass(frozen=True, slots=True)
class StartedRun:
    """What a caller gets who asked for a turn.

    `entries` yields what is stored, in order, from seq 1: each tuple holds all that is there
    now, never an empty one. It ends after the terminal event. Closing it early detaches the
    viewer; the run goes on. `raw_parent_run_id` is the client's spelling of the run that this one
    answers, where the request did not name it.
    """

    run_id: UUID
    session_id: UUID
    trace_id: str
    entries: AsyncGenerator[tuple[Entry, ...], None]
    raw_parent_run_id: str | None = None
