"""One admitted run as a job: the turn, and an end for it also where its journal failed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from callsheet.events.run import RunFailed
from callsheet.journal.changes import RunKeys
from callsheet.journal.run_log import JournaledRun
from callsheet.journal.written import Fenced
from callsheet.kit.errors import AppError, Unavailable
from callsheet.kit.log import get_log, log_context
from callsheet.runs.lease import Lease
from callsheet.turn.outcome import Failed
from callsheet.turn.record import Past
from callsheet.turn.request import TurnRequest
from callsheet.wiring.core import Core
from callsheet.workflows.workflow import Workflow

_AGAIN_S: Final = 1.0
_LAST_S: Final = 2.5
"""A run that was also stopped is not waited for longer; whoever asks for it next ends it."""
_INTERNAL: Final = RunFailed(code="internal", message="The turn failed inside the server.")
_WAITS: Final = Unavailable("The run's end could not be stored yet.", service="database")

log = get_log(__name__)


class RunWork:
    """The work of one run; implements `jobs.local.Work`.

    `past` is what it goes on from. A run that was taken over has its `journal` already.
    """

    def __init__(
        self,
        core: Core,
        workflow: Workflow,
        turn: TurnRequest,
        past: Past | None = None,
        journal: JournaledRun | None = None,
    ) -> None:
        self._past = past
        self._core = core
        self._workflow = workflow
        self._turn = turn
        self._journal = journal or core.writer.open(
            RunKeys(turn.run_id, turn.session_id, turn.user_id)
        )

    async def __call__(self, reason: Callable[[], str]) -> None:
        """Run the turn to its stored end, however long the database takes to come back.

        A run that another process has taken ends there: here only what was used is kept.
        """
        core, turn = self._core, self._turn
        journal = self._journal
        task = asyncio.current_task()
        if task is not None:
            journal.when_taken(task.cancel)
        ids = {"run_id": str(turn.run_id), "session_id": str(turn.session_id)}
        with log_context(**ids, trace_id=turn.trace_id):
            async with core.steering.into(turn, self._workflow, journal):
                await self._to_its_end(reason, task)

    async def _to_its_end(self, reason: Callable[[], str], task: asyncio.Task[None] | None) -> None:
        core, turn, journal = self._core, self._turn, self._journal
        try:
            with core.last_viewers.minding(turn, self._workflow):
                outcome = await core.turns.run(turn, self._workflow, journal, reason, self._past)
            if isinstance(outcome, Failed):
                core.turn_limits.note_trouble(turn.user_id)
        except Fenced:
            log.warning("run_taken_over_elsewhere")
            if core.jobs.is_stopping:  # else its views go on with what is read of it
                core.broker.break_off(turn.run_id, None)
            await self._keep_unstored()
        except AppError as error:
            log.warning("run_not_stored", error=str(error))
            if await self._keep_unstored() and task is not None:
                task.cancel()  # the end is not waited for long then
            await self._end(RunFailed(code=error.error_code, message=str(error)))
        except Exception:  # border: a fault of ours must not leave a run without an end
            log.exception("run_without_end")
            await self._end(_INTERNAL)

    async def _keep_unstored(self) -> bool:
        """Keep what was used and could not be stored; whether the job was stopped meanwhile."""
        unstored = [(self._turn.run_id, event) for event in self._journal.unstored()]
        stopped = False
        while True:
            try:
                await self._core.spool.keep(unstored)
            except asyncio.CancelledError:
                stopped = True
                task = asyncio.current_task()
                if task is not None:
                    task.uncancel()
            else:
                return stopped

    async def _end(self, last: RunFailed) -> None:
        """End the run from what is stored of it; its viewers see that, or that it must wait."""
        now = asyncio.get_running_loop().time
        ends_at: float | None = None
        while ends_at is None or now() < ends_at:
            try:
                async with asyncio.timeout_at(ends_at):
                    if await self._ended(last):
                        return
                    await asyncio.sleep(_AGAIN_S)
            except TimeoutError:
                break
            except asyncio.CancelledError:
                task = asyncio.current_task()
                if task is not None:
                    task.uncancel()
                ends_at = now() + _LAST_S
        self._core.broker.break_off(self._turn.run_id, _WAITS)

    async def _ended(self, last: RunFailed) -> bool:
        core, run_id = self._core, self._turn.run_id
        try:
            await core.recovery.end(run_id, Lease(core.worker_id, self._journal.keys.epoch), last)
        except AppError as error:
            core.broker.break_off(run_id, error)
            return False
        return True
