"""Takes every event of a run: checks its order, journals it, and ends what is left open."""

from __future__ import annotations

from callsheet.events.order import OrderChecker
from callsheet.events.run import RunCancelled, RunFailed, RunFinished, RunPaused
from callsheet.events.stage import EndStatus
from callsheet.events.union import AnyRunEvent
from callsheet.events.usage import ModelUsage
from callsheet.turn.outcome import Answered, Cancelled, Failed, TurnOutcome, Waiting
from callsheet.turn.ports import RunLog
from callsheet.turn.record import Past


class Recorder:
    """The only way into a run's journal. `emit` is the engine's and the runner's `Emit`."""

    def __init__(self, log: RunLog, past: Past | None = None) -> None:
        self._log = log
        self._order = OrderChecker()
        if past is not None:
            self._order.replay(past.own)
            self._order.carry(past.record.asked())

    def emit(self, event: AnyRunEvent) -> None:
        """Journal the event; OrderViolation, a fault of ours, where it is illegal."""
        self._order.check(event)
        self._log.append(event)

    async def stored(self) -> None:
        """Return once everything emitted so far is committed."""
        await self._log.stored()

    async def finish(self, outcome: TurnOutcome, usage: tuple[ModelUsage, ...]) -> None:
        """End whatever is open, then the run, with one terminal event, and wait for the commit."""
        if self._order.ended:
            return
        for event in self._order.closers(_status(outcome)):
            self.emit(event)
        self.emit(_terminal(outcome, usage))
        await self._log.stored()

    def open_model_calls(self) -> tuple[str, ...]:
        """Model calls that were started and not finished: none, unless a runner broke its word."""
        return self._order.open_model_calls()


def _status(outcome: TurnOutcome) -> EndStatus:
    match outcome:
        case Answered():
            return "done"
        case Cancelled():
            return "cancelled"
        case Failed():
            return "failed"
        case Waiting():
            return "waiting"


def _terminal(outcome: TurnOutcome, usage: tuple[ModelUsage, ...]) -> AnyRunEvent:
    match outcome:
        case Answered(message_id=message_id):
            return RunFinished(usage=usage, message_id=message_id)
        case Cancelled(reason=reason):
            return RunCancelled(reason=reason, usage=usage)
        case Failed(code=code, message=message):
            return RunFailed(code=code, message=message, usage=usage)
        case Waiting(interrupts=interrupts):
            return RunPaused(interrupts=interrupts, usage=usage)
