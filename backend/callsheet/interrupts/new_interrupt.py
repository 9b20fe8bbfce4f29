"""An interrupt that a run has come to."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from callsheet.events.interrupt import Interrupt


@dataclass(frozen=True, slots=True)
class NewInterrupt:
    """Whose it is, and its place among those of the same pause."""

    run_id: UUID
    session_id: UUID
    user_id: UUID
    place: int
    interrupt: Interrupt
