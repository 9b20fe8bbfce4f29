"""May this run start? One transaction that lets it in, or a refusal that changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final
from uuid import UUID

from asyncpg import UniqueViolationError

from callsheet.admission.abandoned import Abandoned
from callsheet.admission.admitted import AdmissionRequest, Ticket
from callsheet.admission.full import refuse_if_full
from callsheet.admission.options import AdmissionOptions
from callsheet.admission.own_runs import OwnRuns
from callsheet.admission.queueing import refuse_if_many_wait
from callsheet.admission.store import let_in_at_once
from callsheet.admission.waiting import make_way
from callsheet.db.driver_pool import DriverPool
from callsheet.db.transaction import Database, Tx
from callsheet.jobs.protocol import Queue
from callsheet.kit.clock import Clock
from callsheet.kit.errors import NotFound
from callsheet.kit.ids import new_id
from callsheet.kit.json import encode
from callsheet.runs.in_the_way import RunInTheWay, run_active
from callsheet.runs.new_run import NewRun
from callsheet.runs.store import add_run, find_run, runs_in_the_way
from callsheet.runs.worker_locks import is_alive
from callsheet.sessions.message_store import add_user_message, stored_as, take_again
from callsheet.sessions.settings_store import settings_of
from callsheet.sessions.store import await_run, claim_session, set_title
from callsheet.sessions.title import title_of

_NO_RUN: Final = "There is no such run in this session."


class Gate:
    """Lets runs in: the session is the user's, nothing else runs in it, the message is stored."""

    def __init__(
        self,
        database: Database,
        driver: DriverPool,
        clock: Clock,
        own_runs: OwnRuns,
        queue: Queue,
        options: AdmissionOptions,
    ) -> None:
        self._database = database
        self._driver = driver
        self._clock = clock
        self._own_runs = own_runs
        self._queue = queue
        self._options = options

    async def admit(self, request: AdmissionRequest) -> Ticket:
        """Let the run in.

        The same run id again gives a ticket to look on, not a second run.

        Raises:
            NotFound: the session or the run is another user's, or the session is deleted.
            Conflict: the session has an active run; `extra["runId"]` names it. Or it is full, or
                waits for answers that its workflow wants first.
            AsksAgain: it waits for answers, and is to ask for them again.
            Abandoned: it has one whose worker is gone.
            RateLimited: it would have to wait, and as many as may do so already.
        """
        ticket = None if request.waits else await self._at_once(request)
        return ticket or await self._with_care(request)

    async def _at_once(self, request: AdmissionRequest) -> Ticket | None:
        """In one round trip, which is what nearly every run needs; None where that did not do."""
        if self._own_runs.has(request.run_id):
            return None
        self._own_runs.expect(request.run_id)
        ticket: Ticket | None = None
        try:
            async with self._driver.joined() as tx:
                ticket = await let_in_at_once(
                    tx,
                    request,
                    worker_id=self._options.worker_id,
                    currency=self._options.currency,
                    title=self._title(request),
                )
        except UniqueViolationError:
            return None  # a run of that id was let in at the same moment, elsewhere
        finally:
            if ticket is None:
                self._own_runs.forget(request.run_id)
        return ticket

    async def _with_care(self, request: AdmissionRequest) -> Ticket:
        """Step by step: the run is known, something is in its way, or the message is."""
        with self.expecting(request.run_id) as expected:
            async with self._database.transaction() as tx:
                ticket = await self._let_in(tx, request)
                if ticket.is_new and not request.waits:
                    expected()
        return ticket

    @contextmanager
    def expecting(self, run_id: UUID) -> Iterator[Callable[[], None]]:
        """Let the run in inside the block, and call what it gives before others can see it."""
        expected = False

        def expect() -> None:
            nonlocal expected
            self._own_runs.expect(run_id)
            expected = True

        try:
            yield expect
        except BaseException:
            if expected:
                self._own_runs.forget(run_id)
            raise

    def _title(self, request: AdmissionRequest) -> str:
        return title_of(request.text, self._clock.now(), self._options.title_word)

    async def _let_in(self, tx: Tx, request: AdmissionRequest) -> Ticket:
        wanted = self._title(request)
        claimed = await claim_session(tx, request.session_id, request.user_id, wanted)
        if claimed is None:
            raise NotFound("There is no such session.")
        others = await runs_in_the_way(tx, request.session_id, request.run_id)
        active = await self.active(tx, request.session_id, others)
        known = known_run(request, others)
        if known is not None:
            return known
        if active is not None:
            raise run_active(active)
        refuse_if_full(claimed.total_tokens, claimed.total_cost)
        for run in others:
            if run.is_waiting and run.session_id == request.session_id:
                await make_way(tx, request, run.id, self._clock.now())
        message_id, is_first = await self.add_message(tx, request)
        if claimed.title is None:
            await set_title(tx, request.session_id, wanted)
        await self.add_run(tx, request, message_id)
        return Ticket(
            request.run_id,
            request.session_id,
            message_id,
            is_new=True,
            is_first=is_first,
            total_tokens=claimed.total_tokens,
            total_cost=claimed.total_cost,
            settings=await settings_of(tx, request.session_id),
        )

    async def add_run(
        self, tx: Tx, request: AdmissionRequest, message_id: UUID, continues: UUID | None = None
    ) -> None:
        """Store the run, which answers that message; the session's lock is held.

        One that has to wait is put into the queue in the same transaction.
        """
        if request.waits:
            await refuse_if_many_wait(tx, self._options.waiting_runs)
        run = NewRun(
            id=request.run_id,
            session_id=request.session_id,
            user_id=request.user_id,
            workflow=request.workflow,
            raw_run_id=request.raw_run_id,
            raw_thread_id=request.raw_thread_id,
            parent_run_id=await self._parent(tx, request),
            user_message_id=message_id,
            protocol=request.protocol,
            worker_id=None if request.waits else self._options.worker_id,
            trace_id=request.trace_id,
            input=request.input,
            continues_run_id=continues,
            priority=request.priority,
            waiting_s=self._options.waiting_s if request.waits else None,
        )
        if not await add_run(tx, run, encode(request.input).decode()):
            raise NotFound(_NO_RUN)
        if request.waits:
            await self._queue.submit(tx, run.id, run.priority)
        await await_run(tx, request.session_id)

    async def active(self, tx: Tx, session_id: UUID, others: Sequence[RunInTheWay]) -> UUID | None:
        """The session's active run, which somebody works on; else Abandoned."""
        for run in others:
            if run.is_active and run.session_id == session_id:
                if not await self._has_somebody(tx, run.id, run.lease.worker_id):
                    raise Abandoned(run.id, run.lease)
                return run.id
        return None

    async def _has_somebody(self, tx: Tx, run_id: UUID, worker_id: str | None) -> bool:
        """Of its own runs a process knows it for certain; leases only speak for others."""
        if worker_id is None:
            return True  # it waits for a worker
        if worker_id == self._options.worker_id:
            return self._own_runs.has(run_id)
        return await is_alive(tx, worker_id)

    async def add_message(self, tx: Tx, request: AdmissionRequest) -> tuple[UUID, bool]:
        """Store the user's message, or take it where the client asks it anew.

        Gives its id and whether it is the session's first.
        """
        metadata = request.message_metadata
        seq = await self._say(tx, request, request.message_id, metadata)
        if seq is not None:
            return request.message_id, seq == 1
        raw_id = request.raw_message_id
        known = await stored_as(tx, request.session_id, request.message_id, raw_id)
        if known is not None:
            await take_again(tx, known, request.text, metadata)
            return known, False
        # The id is that of a message of a branch that was taken back, or of another session's.
        own = new_id()
        seq = await self._say(tx, request, own, {**metadata, "raw_id": raw_id})
        return own, seq == 1

    async def _say(
        self, tx: Tx, request: AdmissionRequest, message_id: UUID, metadata: Mapping[str, Any]
    ) -> int | None:
        session_id, currency = request.session_id, self._options.currency
        return await add_user_message(tx, message_id, session_id, request.text, currency, metadata)

    @staticmethod
    async def _parent(tx: Tx, request: AdmissionRequest) -> UUID | None:
        """The run that this one goes on from, where it is the user's own; else none."""
        if request.parent_run_id is None:
            return None
        run = await find_run(tx, request.parent_run_id, request.user_id)
        return None if run is None else run.id


def known_run(request: AdmissionRequest, others: Sequence[RunInTheWay]) -> Ticket | None:
    """The ticket of a run that was let in before; NotFound where it is not the user's here."""
    for run in others:
        if run.id == request.run_id:
            if (run.user_id, run.session_id) != (request.user_id, request.session_id):
                raise NotFound(_NO_RUN)
            return Ticket(run.id, run.session_id, run.user_message_id or run.id, is_new=False)
    return None
