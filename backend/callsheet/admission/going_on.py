"""May a run go on from another one? What is asked is what that one answers: no new message."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from typing import Final
from uuid import UUID

from callsheet.admission.admitted import AdmissionRequest, Ticket
from callsheet.admission.full import refuse_if_full
from callsheet.admission.gate import Gate, known_run
from callsheet.db.transaction import Database, Tx
from callsheet.kit.errors import Conflict, NotFound
from callsheet.runs.chain_store import is_last_run
from callsheet.runs.in_the_way import run_active
from callsheet.runs.run import RunRecord, RunStatus
from callsheet.runs.store import find_run, runs_in_the_way
from callsheet.sessions.message_store import stored_as
from callsheet.sessions.store import claim_session

BROKEN_OFF: Final[Collection[RunStatus]] = frozenset({"failed", "interrupted", "cancelled"})
"""What may be gone on with as it is."""


async def nothing_more(tx: Tx) -> None:
    """Nothing else belongs to it."""
    del tx


class GoingOn:
    """Lets runs in that go on from another; the session's other rules are the gate's."""

    def __init__(self, database: Database, gate: Gate) -> None:
        self._database = database
        self._gate = gate

    async def admit(
        self,
        request: AdmissionRequest,
        continues: UUID,
        statuses: Collection[RunStatus] = BROKEN_OFF,
        also: Callable[[Tx], Awaitable[None]] = nothing_more,
    ) -> Ticket:
        """Let the run in, with what `also` writes in the same transaction.

        The same run id again gives a ticket to look on. Nothing is written where it is refused.

        Raises:
            NotFound: a run or the session is not the user's, or is deleted.
            Conflict: `run_active`; `run_not_over` where the run's status is not one of `statuses`;
                `run_not_last` where the session has gone on without it.
            Abandoned: the session's active run has nobody who works on it.
        """
        with self._gate.expecting(request.run_id) as expected:
            async with self._database.transaction() as tx:
                ticket = await self._let_in(tx, request, continues, statuses)
                if ticket.is_new:
                    await also(tx)
                    if not request.waits:
                        expected()
        return ticket

    async def _let_in(
        self,
        tx: Tx,
        request: AdmissionRequest,
        continues: UUID,
        statuses: Collection[RunStatus],
    ) -> Ticket:
        claimed = await claim_session(tx, request.session_id, request.user_id)
        before = await find_run(tx, continues, request.user_id)
        message_id = None if before is None else await _asked(tx, before)
        if claimed is None or before is None or message_id is None:
            raise NotFound("There is no such run.")
        others = await runs_in_the_way(tx, request.session_id, request.run_id)
        active = await self._gate.active(tx, request, others)
        known = known_run(request, others)
        if known is not None:
            return known
        if active is not None:
            raise run_active(active)
        if before.status not in statuses:
            raise Conflict(
                f"The run is {before.status}: there is nothing to go on with.",
                code="run_not_over",
                runId=str(continues),
                status=before.status,
            )
        if not await is_last_run(tx, continues):
            raise Conflict(
                "The session has gone on since that run: ask anew instead.",
                code="run_not_last",
                runId=str(continues),
            )
        refuse_if_full(claimed.total_tokens, claimed.total_cost)
        await self._gate.add_run(tx, request, message_id, continues)
        return Ticket(
            request.run_id,
            request.session_id,
            message_id,
            is_new=True,
            total_tokens=claimed.total_tokens,
            total_cost=claimed.total_cost,
        )


async def _asked(tx: Tx, run: RunRecord) -> UUID | None:
    """The message that it answers; None where that has been deleted since."""
    asked = run.user_message_id
    return None if asked is None else await stored_as(tx, run.session_id, asked, str(asked))
