"""What a run was asked to do, read back from where its admission left it."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal
from uuid import UUID

from sqlalchemy import text

from callsheet.db.transaction import Read

# Where the run has begun, its first event has the totals before it; zeros are left out there.
_ASKED = text("""
SELECT r.id AS run_id, r.session_id, r.user_id, r.workflow, r.revision, r.lease_epoch,
       r.parent_run_id, coalesce(r.trace_id, '') AS trace_id,
       coalesce(r.input->'tools', '[]') AS client_tools,
       coalesce(r.input->'context', first.input->'context', '[]') AS context, m.id AS message_id,
       m.content AS message_text, m.seq = 1 AS is_first,
       CASE WHEN e.run_id IS NULL THEN s.total_tokens
            ELSE coalesce((e.event->>'session_tokens')::int, 0) END AS session_tokens,
       CASE WHEN e.run_id IS NULL THEN s.total_cost
            ELSE coalesce((e.event->>'session_cost')::numeric, 0) END AS session_cost,
       r.input->>'onDisconnect' AS on_disconnect,
       coalesce(t.mode, 'full') AS mode, t.persona, t.budget
FROM runs r
JOIN sessions s ON s.id = r.session_id
JOIN messages m ON m.id = r.user_message_id
LEFT JOIN runs first ON first.id = r.root_run_id
LEFT JOIN session_settings t ON t.session_id = r.session_id
LEFT JOIN run_events e ON e.run_id = r.id AND e.seq = 1 AND e.event->>'kind' = 'run_started'
WHERE r.id = :run_id
""")


@dataclass(frozen=True, slots=True)
class AskedTurn:
    """A run with its user's message, the session's totals before it, and what is set for it.

    `revision` is None while it has not begun, unless it goes on from another run: then it is that
    one's. `client_tools` and `context` are as they came.
    """

    run_id: UUID
    session_id: UUID
    user_id: UUID
    workflow: str
    revision: str | None
    lease_epoch: int
    parent_run_id: UUID | None
    trace_id: str
    message_id: UUID
    message_text: str
    is_first: bool
    session_tokens: int
    session_cost: Decimal
    client_tools: list[dict[str, Any]]
    context: list[dict[str, Any]]
    on_disconnect: Literal["detach", "cancel"] | None
    mode: Literal["full", "plan"]
    persona: str | None
    budget: Decimal | None


async def asked_turn(tx: Read, run_id: UUID) -> AskedTurn | None:
    """The run of that id, unless its message is not there."""
    row = (await tx.execute(_ASKED, {"run_id": run_id})).first()
    return None if row is None else AskedTurn(**row._asdict())
