"""Lets other workers have runs that this process, or a dead one, does not go on with."""

from __future__ import annotations

from uuid import UUID

from callsheet.db.transaction import Read, Tx
from callsheet.kit.log import get_log
from callsheet.runs.lease import Lease
from callsheet.runs.lease_store import runs_of
from callsheet.runs.queue_store import release_run, take_overs_of
from callsheet.runs.worker_locks import count_workers
from callsheet.wiring.core import Core

log = get_log(__name__)


class HandOver:
    """Puts runs back into the queue; whoever claims one goes on from what is journaled."""

    def __init__(self, core: Core, most_take_overs: int) -> None:
        self._core = core
        self._most_take_overs = most_take_overs

    async def of_dead(self, run_id: UUID, seen: Lease) -> bool:
        """Hand on a run whose worker is dead; false: it is to be ended.

        That is so after too many dead workers, which it may have killed, and where this is only a
        command and no worker is there. A run that this very process has lost is ended too.
        """
        core = self._core
        async with core.database.transaction() as tx:
            if seen.worker_id == core.worker_id or await self._is_too_much(tx, run_id):
                return False
            if core.kind == "command":
                return await count_workers(tx) > 0  # which finds it as well
            await let_wait(core, tx, run_id, seen, died=True)
        return True

    async def of_own(self) -> None:
        """Hand on every active run of this process, which is about to end."""
        core = self._core
        if not core.takes_runs:
            return
        async with core.database.read() as tx:
            own = await runs_of(tx, core.worker_id)
        for run_id, seen in own:
            async with core.database.transaction() as tx:
                await let_wait(core, tx, run_id, seen, died=False)

    async def _is_too_much(self, tx: Read, run_id: UUID) -> bool:
        return await take_overs_of(tx, run_id) >= self._most_take_overs


async def let_wait(core: Core, tx: Tx, run_id: UUID, seen: Lease, *, died: bool) -> None:
    """Put the run back into the queue, where it is still as it was `seen`."""
    priority = await release_run(tx, run_id, seen, died=died)
    if priority is not None:
        await core.queue.submit(tx, run_id, priority)
        log.warning("run_handed_over", run_id=str(run_id), died=died)
