"""What is asked of a turn."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal
from uuid import UUID

from callsheet.sessions.settings import SessionSettings
from callsheet.tools.client_tool import ClientTool


@dataclass(frozen=True, slots=True)
class TurnRequest:
    """One admitted run: everything that does not change while it runs.

    `message_text` is the user's new message, sanitised. `message_id` is its row. `is_first`:
    nothing was said in the session before it, so that there is no history to read.
    `session_tokens` and `session_cost`, in `currency`, are the session's totals before the run;
    `settings` is what its user has set for it. `on_disconnect` is what the client chose for this
    run; None: what its workflow says. `client_tools` are those that the client brings and runs,
    `context` is what it tells of the user's side, as one text.
    """

    run_id: UUID
    session_id: UUID
    user_id: UUID
    workflow: str
    message_id: UUID
    message_text: str
    trace_id: str
    parent_run_id: UUID | None = None
    is_first: bool = False
    session_tokens: int = 0
    session_cost: Decimal = Decimal(0)
    currency: str = "USD"
    on_disconnect: Literal["detach", "cancel"] | None = None
    settings: SessionSettings = field(default_factory=SessionSettings)
    client_tools: tuple[ClientTool, ...] = ()
    context: str = ""
