"""Reads and stops runs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final
from uuid import UUID

from callsheet.auth.principal import Principal
from callsheet.db.transaction import Read
from callsheet.events.run import RunCancelled
from callsheet.kit.errors import Conflict, NotFound
from callsheet.kit.pages import Page, PageRequest
from callsheet.runs.lease import Lease
from callsheet.runs.lease_store import lease_of
from callsheet.runs.queue_store import runs_behind
from callsheet.runs.run import RunRecord
from callsheet.runs.states import ACTIVE
from callsheet.runs.store import asked_for, find_active, find_run, list_runs
from callsheet.runs.waiting_store import waiting_run
from callsheet.runs.watched import WatchedRun
from callsheet.runs.worker_locks import is_alive
from callsheet.sessions.store import find_session
from callsheet.wiring.core import Core
from callsheet.wiring.views import last_seq, look_on

_NO_RUN = "There is no such run."
_NO_SESSION = "There is no such session."
_ORDERS: Final = 10
_LOOKS: Final = 20
_LOOK_S: Final = 0.05
_STOPPED: Final = RunCancelled(reason="user")


class RunService:
    """Runs of the user who asks; another's are not there."""

    def __init__(self, core: Callable[[], Core]) -> None:
        self._core = core

    async def get(self, principal: Principal, run_id: UUID) -> RunRecord:
        """The run; NotFound."""
        async with self._core().database.read() as tx:
            return await self._find(tx, principal, run_id)

    async def watch(self, principal: Principal, run_id: UUID) -> WatchedRun:
        """The run with all that was and will be stored of it, wherever it runs.

        NotFound; JournalGone; Unavailable where it runs elsewhere and this process is about to end.
        """
        core = self._core()
        async with core.database.read() as tx:
            run = await self._find(tx, principal, run_id)
            if await find_session(tx, run.session_id, principal.user_id) is None:
                raise NotFound(_NO_RUN)  # it tells what was said in a session that is deleted
            asked = await asked_for(tx, run_id)
        last = await last_seq(core, run_id)
        return WatchedRun(run, asked, await look_on(core, run_id), last)

    async def cancel(self, principal: Principal, run_id: UUID) -> RunRecord:
        """Stop it and return it as it is once it has ended; one that has ended is only returned.

        A run that comes to wait for people, or goes on in another process, before the stop gets to
        it is stopped there.
        """
        core = self._core()
        run = await self.get(principal, run_id)
        if run.status in ACTIVE and await core.jobs.cancel(run_id, "user"):
            run = await self.get(principal, run_id)
        if run.status in ACTIVE:
            await self._end_elsewhere(core, principal, run_id)
            run = await self.get(principal, run_id)
        if run.status == "waiting_input":
            await core.waiting_runs.stop(run_id, run.session_id)
            run = await self.get(principal, run_id)
        return run

    async def of_session(
        self, principal: Principal, session_id: UUID, page: PageRequest
    ) -> Page[RunRecord]:
        """The session's runs, newest first."""
        async with self._core().database.read() as tx:
            if await find_session(tx, session_id, principal.user_id) is None:
                raise NotFound(_NO_SESSION)
            return await list_runs(tx, session_id, principal.user_id, page)

    async def cancel_session(self, principal: Principal, session_id: UUID) -> RunRecord | None:
        """Stop the session's run that is active or waits; None where there is none.

        Runs that wait for its end are stopped too.
        """
        async with self._core().database.read() as tx:
            if await find_session(tx, session_id, principal.user_id) is None:
                raise NotFound(_NO_SESSION)
            active = await find_active(tx, session_id)
            run_id = await waiting_run(tx, session_id) if active is None else active[0]
            behind = await runs_behind(tx, session_id)
        for waits in behind:  # else they would begin as soon as the active one is stopped
            await self.cancel(principal, waits)
        return None if run_id is None else await self.cancel(principal, run_id)

    @staticmethod
    async def _find(tx: Read, principal: Principal, run_id: UUID) -> RunRecord:
        run = await find_run(tx, run_id, principal.user_id)
        if run is None:
            raise NotFound(_NO_RUN)
        return run

    async def _end_elsewhere(self, core: Core, principal: Principal, run_id: UUID) -> None:
        """The run is not under way here: end it if nobody has it, else have it stopped there."""
        for _ in range(_ORDERS):
            lease = await self._lease_of_active(core, principal, run_id)
            if lease is None:
                return
            if await self._has_somebody(core, run_id, lease):
                ended = await self._stopped_elsewhere(core, principal, run_id)
            else:
                ended = await core.recovery.end(run_id, lease, _STOPPED)
            if ended:
                return
        raise Conflict(
            "The run is under way in another process, which does not stop it.",
            code="run_elsewhere",
            runId=str(run_id),
        )

    async def _lease_of_active(
        self, core: Core, principal: Principal, run_id: UUID
    ) -> Lease | None:
        run = await self.get(principal, run_id)
        if run.status not in ACTIVE:
            return None
        async with core.database.read() as tx:
            return await lease_of(tx, run_id)

    @staticmethod
    async def _has_somebody(core: Core, run_id: UUID, lease: Lease) -> bool:
        if lease.worker_id is None:
            return False
        if lease.worker_id == core.worker_id:
            return core.jobs.has(run_id)
        async with core.database.read() as tx:
            return await is_alive(tx, lease.worker_id)

    async def _stopped_elsewhere(self, core: Core, principal: Principal, run_id: UUID) -> bool:
        """Order the process that has it to stop it; whether it did, within a second."""
        await core.stop_orders.give(run_id)
        for _ in range(_LOOKS):
            if (await self.get(principal, run_id)).status not in ACTIVE:
                return True
            await asyncio.sleep(_LOOK_S)
        return False
