"""A run that somebody comes to look at."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Any, Literal

from callsheet.events.entry import Entry
from callsheet.runs.run import RunRecord


@dataclass(frozen=True, slots=True)
class AskedFor:
    """How the run was asked for: the client's generation, the state that it sent, the run before.

    `raw_parent_run_id` is the client's own spelling.
    """

    protocol: Literal["0.x", "1.0"]
    client_state: Any = None
    raw_parent_run_id: str | None = None


@dataclass(frozen=True, slots=True)
class WatchedRun:
    """The run, and its entries from seq 1 on: what is stored at once, the rest as it comes.

    `entries` ends after the terminal event; closing it early detaches the viewer. `last_seq` is
    that of the terminal event, None where the run has not ended.
    """

    run: RunRecord
    asked: AskedFor
    entries: AsyncGenerator[tuple[Entry, ...], None]
    last_seq: int | None = None
