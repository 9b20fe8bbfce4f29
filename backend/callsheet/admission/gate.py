"""May this run start? One transaction that lets it in, or a refusal that changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from uuid import UUID

from asyncpg import UniqueViolationError

from callsheet.admission.abandoned import Abandoned
from callsheet.admission.added_runs import NO_RUN, AddedRuns
from callsheet.admission.admitted import AdmissionRequest, Ticket
from callsheet.admission.behind import busy_with
from callsheet.admission.full import refuse_if_full
from callsheet.admission.options import AdmissionOptions
from callsheet.admission.own_runs import OwnRuns
from callsheet.admission.store import let_in_at_once
from callsheet.admission.waiting import make_way
from callsheet.db.driver_pool import DriverPool
from callsheet.db.transaction import Database, Tx
from callsheet.jobs.protocol import Queue
from callsheet.kit.clock import Clock
from callsheet.kit.errors import NotFound
from callsheet.kit.ids import new_id
from callsheet.runs.in_the_way import RunInTheWay, run_active
from callsheet.runs.store import runs_in_the_way
from callsheet.runs.worker_locks import is_alive
from callsheet.sessions.message_store import add_user_message, stored_as, take_again
from callsheet.sessions.settings_store import settings_of
from callsheet.sessions.store import claim_session, set_title
from callsheet.sessions.title import title_of
from callsheet.todos.store import put_away


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
        self._added = AddedRuns(queue, options)
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
                if ticket.is_new and not ticket.waits:
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
        active = await self.active(tx, request, others)
        known = known_run(request, others)
        if known is not None:
            return known
        busy = busy_with(request, active, others)
        refuse_if_full(claimed.total_tokens, claimed.total_cost)
        if busy is not None:
            return await self._let_in_behind(tx, request, busy)
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
            waits=request.waits,
            is_first=is_first,
            total_tokens=claimed.total_tokens,
            total_cost=claimed.total_cost,
            settings=await settings_of(tx, request.session_id),
        )

    async def _let_in_behind(self, tx: Tx, request: AdmissionRequest, busy: UUID) -> Ticket:
        """It waits for the end of `busy`. What edits an earlier message cannot: Conflict."""
        raw_id = request.raw_message_id
        if await stored_as(tx, request.session_id, request.message_id, raw_id) is not None:
            raise run_active(busy)
        await self.add_run(tx, replace(request, waits=True, behind=True), None)
        return Ticket(
            request.run_id, request.session_id, request.message_id, is_new=True, waits=True
        )

    async def add_run(
        self,
        tx: Tx,
        request: AdmissionRequest,
        message_id: UUID | None,
        continues: UUID | None = None,
    ) -> None:
        """See `AddedRuns.add`."""
        await self._added.add(tx, request, message_id, continues)

    async def active(
        self, tx: Tx, request: AdmissionRequest, others: Sequence[RunInTheWay]
    ) -> UUID | None:
        """The session's active run, which somebody works on; else Abandoned.

        Who comes back to the very run whose worker is gone waits for the next one to go on with it.
        """
        for run in others:
            if run.is_active and run.session_id == request.session_id:
                worker_id = run.lease.worker_id
                goes_on = run.id == request.run_id and worker_id != self._options.worker_id
                if not (goes_on or await self._has_somebody(tx, run.id, worker_id)):
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
            await put_away(tx, request.session_id, known)
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


def known_run(request: AdmissionRequest, others: Sequence[RunInTheWay]) -> Ticket | None:
    """The ticket of a run that was let in before; NotFound where it is not the user's here."""
    for run in others:
        if run.id == request.run_id:
            if (run.user_id, run.session_id) != (request.user_id, request.session_id):
                raise NotFound(NO_RUN)
            return Ticket(run.id, run.session_id, run.user_message_id or run.id, is_new=False)
    return None
