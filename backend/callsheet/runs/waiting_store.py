"""The SQL of runs that wait for people."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import text

from callsheet.db.transaction import Read, Tx
from callsheet.runs.run import RunStatus

_END = text("""
UPDATE runs
SET status = :status, error_code = :code, error_message = :message, finished_at = now(),
    updated_at = now()
WHERE id = :run_id AND status = 'waiting_input'
""")

_WAITING = text("SELECT id FROM runs WHERE session_id = :session_id AND status = 'waiting_input'")


async def end_waiting(
    tx: Tx, run_id: UUID, status: RunStatus, code: str | None = None, message: str | None = None
) -> bool:
    """Give a run that waits its end; False where it waits no more."""
    result = await tx.execute(
        _END, {"run_id": run_id, "status": status, "code": code, "message": message}
    )
    return result.rowcount == 1


async def waiting_run(tx: Read, session_id: UUID) -> UUID | None:
    """The session's run that waits for people."""
    found: UUID | None = (
        await tx.execute(_WAITING, {"session_id": session_id})
    ).scalar_one_or_none()
    return found
