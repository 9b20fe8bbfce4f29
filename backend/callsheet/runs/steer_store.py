"""The SQL of runs that wait behind an active one, for that one to take their messages in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from uuid import UUID

from sqlalchemy import text

from callsheet.db.states import one_of
from callsheet.db.transaction import Read, Tx
from callsheet.runs.lease import Lease
from callsheet.runs.states import ACTIVE

# One of another worker is being ended, and not to be had.
_BEHIND = text("""
SELECT r.id, r.workflow, coalesce(r.trace_id, '') AS trace_id, r.parent_run_id, r.lease_epoch,
       CAST(r.input->'said'->>'id' AS uuid) AS message_id, r.input->'said'->>'content' AS content,
       EXISTS (SELECT FROM messages m
               WHERE m.id = CAST(r.input->'said'->>'id' AS uuid)) AS is_known,
       s.total_tokens, s.total_cost
FROM runs r JOIN sessions s ON s.id = r.session_id
WHERE r.session_id = :session_id AND r.behind AND r.status = 'queued' AND r.worker_id IS NULL
ORDER BY r.created_at, r.id
""")

_LOCK = text("SELECT FROM runs WHERE id = :run_id FOR UPDATE")

_LET_GO = text(f"""
UPDATE runs SET worker_id = NULL, lease_epoch = lease_epoch + 1, updated_at = now()
WHERE id = :run_id AND behind AND worker_id = :worker_id AND lease_epoch = :epoch
  AND status IN ({one_of(ACTIVE)})
""")  # noqa: S608 - our own words, not values


@dataclass(frozen=True, slots=True)
class RunBehind:
    """A run that waits, with its message; `is_known`: one of that id is there already.

    `total_tokens` and `total_cost` are the session's so far.
    """

    id: UUID
    workflow: str
    trace_id: str
    parent_run_id: UUID | None
    lease_epoch: int
    message_id: UUID
    content: str
    is_known: bool
    total_tokens: int
    total_cost: Decimal


async def waiting_behind(tx: Read, session_id: UUID) -> Sequence[RunBehind]:
    """Those that nobody has, in the order in which they came."""
    rows = (await tx.execute(_BEHIND, {"session_id": session_id})).all()
    return [RunBehind(**row._asdict()) for row in rows]


async def let_wait_behind(tx: Tx, run_id: UUID, taken: Lease) -> None:
    """Let a run that was taken, and has not ended, wait on."""
    await tx.execute(_LOCK, {"run_id": run_id})
    values = {"run_id": run_id, "worker_id": taken.worker_id, "epoch": taken.epoch}
    await tx.execute(_LET_GO, values)
