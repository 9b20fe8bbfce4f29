"""Takes messages that come while a run is active into it, where its workflow says so."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from callsheet.db.transaction import Database
from callsheet.events.run import RunFinished, RunStarted
from callsheet.jobs.local import LocalJobs
from callsheet.journal.changes import RunKeys
from callsheet.journal.ended_beside import EndedBeside
from callsheet.journal.run_log import JournaledRun
from callsheet.kit.errors import AppError, Unavailable
from callsheet.kit.ids import new_id
from callsheet.kit.log import get_log
from callsheet.runs.lease import Lease
from callsheet.runs.lease_store import take_over
from callsheet.runs.queue_store import call_up_next
from callsheet.runs.steer_store import RunBehind, let_wait_behind, waiting_behind
from callsheet.sessions.store import lock_session
from callsheet.turn.ports import OnTheWay
from callsheet.turn.request import TurnRequest
from callsheet.workflows.workflow import Workflow

_AGAIN_S: Final = 1.0

log = get_log(__name__)


@dataclass(frozen=True, slots=True)
class _Steered:
    """A run of this process that others go into; `taken` are those that have not ended yet."""

    turn: TurnRequest
    workflow: Workflow
    journal: JournaledRun
    taken: dict[UUID, Lease] = field(default_factory=dict)


class RunSteering:
    """Implements `turn.ports.Steering` for the runs of this process.

    A run that waits is taken first, as by any worker: so it is neither stopped nor called up
    meanwhile. It ends in the very commit that has its message in the active run's journal. Before
    that it only waits on, whatever happens; after it there is nothing left to do.
    """

    def __init__(self, database: Database, jobs: LocalJobs, worker_id: str) -> None:
        self._database = database
        self._jobs = jobs
        self._worker_id = worker_id
        self._runs: dict[UUID, _Steered] = {}

    @asynccontextmanager
    async def into(
        self, turn: TurnRequest, workflow: Workflow, journal: JournaledRun
    ) -> AsyncIterator[None]:
        """The run is under way inside the block; then what was taken in vain waits on."""
        if workflow.when_busy != "steer":
            yield
            return
        steered = self._runs[turn.run_id] = _Steered(turn, workflow, journal)
        try:
            yield
        finally:
            del self._runs[turn.run_id]
            for run_id, lease in list(steered.taken.items()):
                await self._let_go(turn.session_id, run_id, lease)

    async def next(self, request: TurnRequest) -> Sequence[OnTheWay]:
        """See `Steering.next`. One that wants another workflow is not for this run.

        Where the database does not answer they wait on: no run fails of that.
        """
        steered = self._runs.get(request.run_id)
        found: list[OnTheWay] = []
        if steered is None:
            return found
        try:
            async with self._database.read() as tx:
                behind = await waiting_behind(tx, request.session_id)
            for run in behind:
                if run.workflow != steered.workflow.name:
                    break  # nor are those that came after it
                lease = await self._take(steered, run)
                if lease is not None:
                    found.append(self._end_with_it(steered, run, lease))
        except AppError as error:
            log.warning("steering_not_looked_for", error=str(error))
        return found

    async def _take(self, steered: _Steered, run: RunBehind) -> Lease | None:
        """Make it this worker's; None where it was stopped, or taken, meanwhile."""
        self._jobs.expect(run.id)
        # Known before it is committed, so that it is let go whatever becomes of this.
        steered.taken[run.id] = Lease(self._worker_id, run.lease_epoch + 1)
        async with self._database.transaction() as tx:
            lease = await take_over(tx, run.id, Lease(None, run.lease_epoch), self._worker_id)
        if lease is None:
            self._forget(steered, run.id)
        return lease

    def _end_with_it(self, steered: _Steered, run: RunBehind, lease: Lease) -> OnTheWay:
        turn = steered.turn
        begun = RunStarted(
            workflow=run.workflow,
            revision=steered.workflow.revision,
            session_id=str(turn.session_id),
            trace_id=run.trace_id,
            parent_run_id=str(run.parent_run_id) if run.parent_run_id else None,
            session_tokens=run.total_tokens,
            session_cost=run.total_cost,
            currency=turn.currency,
        )
        keys = RunKeys(run.id, turn.session_id, turn.user_id, lease.epoch, leads=False)
        ended = RunFinished(steered_run_id=str(turn.run_id))
        steered.journal.end_beside(
            EndedBeside(keys, (begun, ended), lambda: self._forget(steered, run.id))
        )
        message_id = new_id() if run.is_known else run.message_id
        return OnTheWay(str(run.id), str(message_id), run.content)

    def _forget(self, steered: _Steered, run_id: UUID) -> None:
        steered.taken.pop(run_id, None)
        self._jobs.forget(run_id)

    async def _let_go(self, session_id: UUID, run_id: UUID, lease: Lease) -> None:
        """Let it wait on, and begin where its turn has come; as soon as the database lets it.

        A process that ends does not wait for that: what it had is handed on by others then.
        """
        try:
            while True:
                try:
                    async with self._database.transaction() as tx:
                        await lock_session(tx, session_id)
                        await let_wait_behind(tx, run_id, lease)
                        await call_up_next(tx, session_id)
                except Unavailable:
                    if self._jobs.is_stopping:
                        raise
                    await asyncio.sleep(_AGAIN_S)
                else:
                    return
        except AppError as error:
            log.warning("run_behind_not_let_go", run_id=str(run_id), error=str(error))
        finally:
            self._jobs.forget(run_id)
