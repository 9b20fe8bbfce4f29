"""Begins a run that this process has claimed, or goes on with one that another broke off."""

from __future__ import annotations

import asyncio
from typing import Final
from uuid import UUID

from callsheet.events.run import RunFailed
from callsheet.journal.written import WriteRefused
from callsheet.kit.errors import AppError, TurnFailed, Unavailable
from callsheet.kit.log import get_log
from callsheet.runs.lease import Lease
from callsheet.wiring.core import Core
from callsheet.wiring.hand_over import let_wait
from callsheet.wiring.past import load_past
from callsheet.wiring.run_work import RunWork
from callsheet.wiring.stored_turn import load_turn, load_workflow
from callsheet.wiring.strays import REASON
from callsheet.workflows.live import LiveWorkflows

_AGAIN_S: Final = 1.0

log = get_log(__name__)


async def begin_claimed(core: Core, workflows: LiveWorkflows, run_id: UUID, lease: Lease) -> None:
    """Hand the run to the jobs, which must expect it; a run that cannot be worked on is ended.

    What an earlier process left open in its journal is closed first. One whose data cannot be had
    now waits again, as soon as the database lets it; one that cannot be read at all is nobody's
    then, and swept later.
    """
    # This process may have lost it and not noticed yet: what it still does for it is in vain.
    await core.jobs.cancel(run_id, REASON)
    try:
        stored = await load_turn(core, run_id)
        try:
            workflow = await load_workflow(core, workflows, stored.workflow_name, stored.revision)
        except TurnFailed as gone:
            core.jobs.forget(run_id)
            last = RunFailed(code=gone.error_code, message=str(gone))
            await core.recovery.end(run_id, lease, last)
            return
        await core.revisions.keep(workflow)
        journal = await core.recovery.take_over(run_id, core.worker_id, lease.epoch)
        if journal is None:
            core.jobs.forget(run_id)
            return
        past = await load_past(core, run_id)
        core.jobs.submit(run_id, RunWork(core, workflow, stored.turn, past, journal))
    except AppError as error:
        log.warning("claimed_run_not_begun", run_id=str(run_id), error=str(error))
        try:
            if isinstance(error, Unavailable) and not isinstance(error, WriteRefused):
                await _give_back(core, run_id, lease)
        finally:
            core.jobs.forget(run_id)
    except BaseException:
        core.jobs.forget(run_id)
        raise


async def _give_back(core: Core, run_id: UUID, lease: Lease) -> None:
    while True:
        try:
            async with core.database.transaction() as tx:
                await let_wait(core, tx, run_id, lease, died=False)
        except Unavailable:
            await asyncio.sleep(_AGAIN_S)
        else:
            return
