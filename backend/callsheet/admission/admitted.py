"""What admission is asked and what it answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal
from uuid import UUID

from callsheet.runs.priority import INTERACTIVE
from callsheet.sessions.settings import SessionSettings

WhenBusy = Literal["refuse", "queue", "steer"]
WhenWaiting = Literal["cancel_and_answer", "ask_again", "refuse"]


@dataclass(frozen=True, slots=True)
class AdmissionRequest:
    """A user's wish to run a workflow on a message. Ids are ours, `raw_` ones the client's.

    `when_waiting`: what becomes of a run of the session that waits for people. `asks_for_budget`:
    it is the run that asks, where nothing is left of the session's budget. `waits`: no place is
    free in this process, so that the run waits for a worker. `when_busy`: what becomes of this one
    while another is active; `behind`: it waits for that one's end.
    """

    user_id: UUID
    session_id: UUID
    raw_thread_id: str
    run_id: UUID
    raw_run_id: str
    message_id: UUID
    text: str
    workflow: str
    protocol: str
    trace_id: str
    parent_run_id: UUID | None = None
    message_metadata: Mapping[str, Any] = field(default_factory=dict)
    input: Mapping[str, Any] = field(default_factory=dict)

    @property
    def raw_message_id(self) -> str:
        """What the client calls its message."""
        return str(self.message_metadata.get("raw_id", self.message_id))

    when_waiting: WhenWaiting = "cancel_and_answer"
    asks_for_budget: bool = False
    priority: int = INTERACTIVE
    waits: bool = False
    behind: bool = False
    when_busy: WhenBusy = "refuse"


@dataclass(frozen=True, slots=True)
class Ticket:
    """Permission to run. `is_new` false: the run was let in before; there is only to look on.
    `waits`: it is not begun here.

    `message_id` is the row of the user's message; `is_first`: nothing was said before it.
    `total_tokens` and `total_cost` are the session's before the run, `settings` what is set for it.
    """

    run_id: UUID
    session_id: UUID
    message_id: UUID
    is_new: bool
    waits: bool = False
    is_first: bool = False
    total_tokens: int = 0
    total_cost: Decimal = Decimal(0)
    settings: SessionSettings = field(default_factory=SessionSettings)
