"""One admitted run from its first event to its last, whatever happens in between."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import structlog

from callsheet.kit.clock import Clock
from callsheet.kit.errors import Unavailable
from callsheet.turn.engine import TurnEngine
from callsheet.turn.outcome import Cancelled, Failed, TurnOutcome
from callsheet.turn.ports import CallWatch, Prices, RunLog, unwatched
from callsheet.turn.record import Past
from callsheet.turn.recorder import Recorder
from callsheet.turn.request import TurnRequest
from callsheet.turn.run_meter import RunMeter
from callsheet.workflows.workflow import Workflow

log = structlog.get_logger(__name__)


class Turns:
    """Runs turns; holds nothing of any one of them."""

    def __init__(
        self, engine: TurnEngine, prices: Prices, clock: Clock, watch: CallWatch = unwatched
    ) -> None:
        self._engine = engine
        self._prices = prices
        self._clock = clock
        self._watch = watch

    async def run(
        self,
        request: TurnRequest,
        workflow: Workflow,
        run_log: RunLog,
        cancel_reason: Callable[[], str],
        past: Past | None = None,
    ) -> TurnOutcome:
        """Run it and end it. Returns only after the terminal event is committed.

        `workflow` is the revision that was active when the run was let in; an edit since then
        does not touch it. With `past` it goes on from what has been done.

        Cancelling the task is how a run is stopped: it becomes the outcome `Cancelled`, with the
        reason that `cancel_reason` gives then. Raises Unavailable only where the journal itself
        cannot be written.
        """
        past = past or Past()
        recorder = Recorder(run_log, past)
        meter = RunMeter(
            self._prices,
            run_log,
            recorder.emit,
            self._clock,
            self._watch,
            session_budget=request.settings.budget,
        )
        meter.count(past.own)
        try:
            outcome = await self._outcome(request, workflow, recorder, meter, past)
        except asyncio.CancelledError:
            _go_on()
            outcome = Cancelled(reason=cancel_reason())
        meter.close_all()
        try:
            await recorder.finish(outcome, meter.usage())
        except asyncio.CancelledError:  # too late: the end is written already, only not committed
            _go_on()
            await recorder.stored()
        return outcome

    async def _outcome(
        self,
        request: TurnRequest,
        workflow: Workflow,
        recorder: Recorder,
        meter: RunMeter,
        past: Past,
    ) -> TurnOutcome:
        try:
            return await self._engine.run(request, workflow, recorder, meter, past)
        except Unavailable as error:
            return Failed(code=error.error_code, message=str(error))
        except Exception:  # border: a fault of ours ends this run and no other
            log.exception("turn_failed", run_id=str(request.run_id), trace_id=request.trace_id)
            return Failed(code="internal", message="The turn failed inside the server.")


def _go_on() -> None:
    """The stop of this task was heard: what it still has to do is not stopped."""
    task = asyncio.current_task()
    if task is not None:
        task.uncancel()
