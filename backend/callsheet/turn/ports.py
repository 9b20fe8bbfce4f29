"""What the engine needs from the rooms above and below it. `wiring` plugs them in."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from callsheet.events.call import LlmCallFinished, LlmCallStarted
from callsheet.events.entry import Entry
from callsheet.events.union import AnyRunEvent
from callsheet.kit.deadline import Deadline
from callsheet.ledger.budget.refusal import Refusal
from callsheet.ledger.price.quote import Quote
from callsheet.turn.meter import Meter
from callsheet.turn.record import Record
from callsheet.turn.request import TurnRequest
from callsheet.turn.view import Earlier, StageResult, TurnView
from callsheet.workflows.workflow import Stage, Workflow


class Emit(Protocol):
    """Hands an event to the recorder: at once, in order, without waiting."""

    def __call__(self, event: AnyRunEvent) -> None: ...


@dataclass(frozen=True, slots=True)
class OnTheWay:
    """A message of the user that came while a run was active, and the run that it made."""

    run_id: str
    message_id: str
    text: str


class Steering(Protocol):
    """Messages that come while a run is active and go into it."""

    async def next(self, request: TurnRequest) -> Sequence[OnTheWay]:
        """Those that wait for the run's end, oldest first; whoever asks first has them.

        Each is to be emitted as `Steered` at once: with that it is said, and its run ends.
        """
        ...


@dataclass(frozen=True, slots=True)
class StageWork:
    """All that a stage needs to run once. `visible`: its last task's text is the answer.

    What `record` holds is neither asked nor done again, and not told again either. `steering` as in
    `Steering.next`; None where nothing goes into a run that is active.
    """

    request: TurnRequest
    workflow: Workflow
    stage: Stage
    view: TurnView
    visible: bool
    attempt: int
    deadline: Deadline
    record: Record = field(default_factory=Record)
    steering: Callable[[], Awaitable[Sequence[OnTheWay]]] | None = None


class StageRunner(Protocol):
    """Runs one stage's crew."""

    async def run(self, work: StageWork, emit: Emit, meter: Meter) -> StageResult:
        """Run it to its result, emitting every event between stage start and stage end.

        Everything it starts (agents, answers, tool calls, model calls) it also ends, on every
        way out, cancellation included.

        Raises:
            TurnFailed, ProviderError, Unpriced, TimedOut: the stage has no result; `error_code`
                says why and is what a stage's `retry.on` names.
        """
        ...


class History(Protocol):
    """Reads what a session holds from before a turn."""

    async def before(self, request: TurnRequest) -> Earlier:
        """What was said, and which steps are still open."""
        ...


class Unsteered:
    """Implements `Steering`: nothing comes."""

    async def next(self, request: TurnRequest) -> Sequence[OnTheWay]:
        """None."""
        del request
        return ()


class Prices(Protocol):
    """Looks prices up; in memory, so that it may be called before every model call."""

    def quote(self, factory: str, model_code: str, at: datetime) -> Quote:
        """What it costs at `at`; raises Unpriced with the way out where it has no price."""
        ...


class CallWatch(Protocol):
    """Told of each model call when it has ended, refused ones among them; never fails or waits."""

    def __call__(self, started: LlmCallStarted, finished: LlmCallFinished) -> None: ...


def unwatched(started: LlmCallStarted, finished: LlmCallFinished) -> None:
    """Nobody watches."""


class RunLog(Protocol):
    """The journal of one run."""

    def append(self, event: AnyRunEvent) -> Entry:
        """Number the event and queue it to be stored; never waits."""
        ...

    async def stored(self) -> None:
        """Return once everything appended so far is committed; raises Unavailable if it cannot."""
        ...

    def refusal(self, call_id: str) -> Refusal | None:
        """Why a call that was to start has no ledger row; asked after `stored`."""
        ...

    def message_seq(self, message_id: str) -> int:
        """The `messages.seq` of a message; 0 while its first event is not stored."""
        ...
