"""The end of a run that waits: dropped, stopped, or answered too late."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal
from uuid import UUID

from callsheet.admission.admitted import AdmissionRequest
from callsheet.db.transaction import Tx
from callsheet.interrupts.store import close, of_session
from callsheet.kit.errors import Conflict
from callsheet.runs.end import SESSION_STATUS
from callsheet.runs.run import RunStatus
from callsheet.runs.waiting_store import end_waiting
from callsheet.sessions.store import set_status

EXPIRED: Final = "interrupt_expired"
_TOO_LATE: Final = "Nobody answered in time what the run was waiting for."


class AsksAgain(Exception):
    """A new message has the run ask again, and is not answered itself."""

    def __init__(self, run_id: UUID) -> None:
        super().__init__(str(run_id))
        self.run_id = run_id


@dataclass(frozen=True, slots=True)
class WaitingEnd:
    """How such a run ends, and what becomes of what it asked."""

    status: RunStatus
    interrupts: Literal["closed", "expired"] = "closed"
    code: str | None = None
    message: str | None = None


STOPPED: Final = WaitingEnd("cancelled")
TOO_LATE: Final = WaitingEnd("failed", "expired", EXPIRED, _TOO_LATE)


async def let_go(tx: Tx, run_id: UUID, session_id: UUID, end: WaitingEnd) -> bool:
    """End the run; the session's lock is held. False where it waits no more."""
    if not await end_waiting(tx, run_id, end.status, end.code, end.message):
        return False
    await close(tx, run_id, end.interrupts)
    await set_status(tx, session_id, SESSION_STATUS[end.status])
    return True


async def make_way(tx: Tx, request: AdmissionRequest, run_id: UUID, now: datetime) -> None:
    """A new message comes while the run waits: what becomes of it is the workflow's to say.

    Raises:
        Conflict: `waiting_input`, the answers have to come first.
        AsksAgain: the run goes on, and asks.
    """
    asked = await of_session(tx, request.session_id)
    if any(record.expires_at <= now for record in asked):
        await let_go(tx, run_id, request.session_id, TOO_LATE)
    elif request.when_waiting == "cancel_and_answer":
        await let_go(tx, run_id, request.session_id, STOPPED)
    elif request.when_waiting == "ask_again":
        raise AsksAgain(run_id)
    else:
        raise Conflict(
            f"The run {run_id} waits for answers; give them, or cancel it, before anything else.",
            code="waiting_input",
            runId=str(run_id),
            interruptIds=[str(record.id) for record in asked],
        )
