"""What a run has done so far, folded from its journal: what it does not do again.

The journals of the runs that it goes on from come first, oldest first, then its own. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from callsheet.events.agent import TaskFinished
from callsheet.events.call import AnswerFinished
from callsheet.events.interrupt import InterruptAnswered
from callsheet.events.run import RunFailed, RunPaused
from callsheet.events.source import SourceFound
from callsheet.events.stage import StageFinished, StageRetried, StageStarted
from callsheet.events.steered import Steered
from callsheet.events.text import TextEnded, TextStarted
from callsheet.events.tool import ToolResult, ToolStarted
from callsheet.events.union import AnyRunEvent
from callsheet.workflows.tools_file import REQUEST_PLAN

_ASK_ANEW: Final = frozenset({"invalid_output", "iteration_limit"})
"""Failures that stored answers would only lead to again: their stage begins a new attempt."""

_NO_RESULT: Final = "cancelled"


@dataclass(slots=True)
class Record:
    """Stored answers and results by their place in the run; see `AnswerFinished.path`.

    `stages` holds the outputs of those that are done, `tasks` those of finished tasks, `answers`
    the whole answers of each execution in their order, `results` what tool calls gave, by their
    id. `begun` are the calls that were begun, with or without a result. `attempts` says which
    attempt of a stage is the last, `shown` which texts a user has seen as the answer. `decisions`
    are what people said to the calls that waited for them; `is_budget_final`: they would not extend
    the budget; `has_plan`: the last plan that they were shown is approved. `steered` are the
    messages that came on the way, in their order. `sources` are those that tools found in this
    turn, in the order of their numbers; it grows while tools are at work.
    """

    stages: dict[str, str] = field(default_factory=dict)
    tasks: dict[str, TaskFinished] = field(default_factory=dict)
    answers: dict[str, list[AnswerFinished]] = field(default_factory=dict)
    results: dict[str, ToolResult] = field(default_factory=dict)
    begun: set[str] = field(default_factory=set)
    attempts: dict[str, int] = field(default_factory=dict)
    shown: set[str] = field(default_factory=set)
    decisions: dict[str, InterruptAnswered] = field(default_factory=dict)
    is_budget_final: bool = False
    has_plan: bool = False
    steered: list[Steered] = field(default_factory=list)
    sources: list[SourceFound] = field(default_factory=list)
    _stage: str | None = None
    _plans: set[str] = field(default_factory=set)
    _visible: set[str] = field(default_factory=set)

    def answer(self, path: str, iteration: int) -> AnswerFinished | None:
        """The stored answer of that execution, None where the model has to be asked."""
        stored = self.answers.get(path, ())
        return stored[iteration] if iteration < len(stored) else None

    def last_message(self, path: str) -> str | None:
        """The message of the execution's last answer."""
        stored = self.answers.get(path)
        return stored[-1].message_id if stored else None

    def steered_at(self, path: str, iteration: int) -> list[str]:
        """What was said on the way, and the execution knows from that answer on."""
        return [s.text for s in self.steered if (s.path, s.iteration) == (path, iteration)]

    def steered_on(self, path: str) -> list[str]:
        """All that was said on the way to one execution."""
        return [s.text for s in self.steered if s.path == path]

    def steered_in(self, stage: str, *, before: int | None = None) -> list[str]:
        """All that was said while the stage was at work; before that attempt of it."""
        places = ((s.text, *s.path.partition("/")[0].split("#")) for s in self.steered)
        return [
            text
            for text, name, attempt in places
            if name == stage and (before is None or int(attempt) < before)
        ]

    def attempt(self, stage: str) -> int:
        """The attempt that the stage goes on with, from 1."""
        return self.attempts.get(stage, 1)

    def asked(self) -> frozenset[str]:
        """Tool calls of stored answers that have no result yet."""
        calls = (c for stored in self.answers.values() for a in stored for c in a.tool_calls)
        return frozenset(call.tool_call_id for call in calls) - self.results.keys()

    def take(self, event: AnyRunEvent) -> None:
        """Add one more event of the journal."""
        match event:
            case AnswerFinished(status="final", path=path) if path:
                self._answered(event)
            case ToolStarted():
                self.begun.add(event.tool_call_id)
            case ToolResult() if event.status != _NO_RESULT:
                self.results[event.tool_call_id] = event
            case TaskFinished():
                self.tasks[event.path] = event
            case StageStarted():
                self._stage = event.stage
            case StageRetried():
                self.attempts[event.stage] = event.attempt
            case StageFinished(status="done"):
                self.stages[event.stage] = event.output or ""
            case RunFailed(code=code) if code in _ASK_ANEW and self._stage is not None:
                self.attempts[self._stage] = self.attempt(self._stage) + 1
            case _:
                self._seen(event)

    def _seen(self, event: AnyRunEvent) -> None:
        if isinstance(event, InterruptAnswered) and event.tool_call_id is not None:
            self.decisions[event.tool_call_id] = event
            if event.tool_call_id in self._plans:
                self.has_plan = approves(event)
        elif isinstance(event, InterruptAnswered) and event.reason == "budget":
            self.is_budget_final = not extends(event)
        elif isinstance(event, RunPaused):
            waiting = {each.tool_call_id for each in event.interrupts if each.tool_call_id}
            self._plans |= {
                each.tool_call_id
                for each in event.interrupts
                if each.tool_call_id and each.tool == REQUEST_PLAN
            }
            self.begun -= waiting  # the tool asked, and did nothing yet
            self.decisions = {k: v for k, v in self.decisions.items() if k not in waiting}
        elif isinstance(event, Steered):
            self.steered.append(event)
        elif isinstance(event, SourceFound):
            self.sources.append(event)
        elif isinstance(event, TextStarted) and event.visible:
            self._visible.add(event.message_id)
        elif isinstance(event, TextEnded) and event.message_id in self._visible:
            self.shown.add(event.message_id)

    def _answered(self, answer: AnswerFinished) -> None:
        """The next answer of its execution; one that is stored already stays."""
        stored = self.answers.setdefault(answer.path, [])
        if answer.iteration == len(stored):
            stored.append(answer)


@dataclass(frozen=True, slots=True)
class Past:
    """What a run goes on from; nothing, where it begins.

    `own` is what this very run has journaled already, in order, in a process that is gone: its
    end counts what was spent then. `ran_s` is how long it ran there. `began_at` is when the first
    run of the chain began: for the models it is still that moment. `answers` are what people said
    to the run before, for this one to go on with.
    """

    record: Record = field(default_factory=Record)
    own: Sequence[AnyRunEvent] = ()
    answers: Sequence[InterruptAnswered] = ()
    ran_s: float = 0.0
    began_at: datetime | None = None


def fold(events: Iterable[AnyRunEvent]) -> Record:
    """The record of a chain of runs, from all its events in order."""
    record = Record()
    for event in events:
        record.take(event)
    return record


def extends(answer: InterruptAnswered) -> bool:
    """Whether a person grants the budget once more."""
    payload = answer.payload
    said = isinstance(payload, dict) and payload.get("extend") is True
    return answer.status == "resolved" and said


def approves(answer: InterruptAnswered) -> bool:
    """Whether a person allows what they were asked."""
    payload = answer.payload
    said = isinstance(payload, dict) and payload.get("approved") is True
    return answer.status == "resolved" and said


def path_of(stage: str, attempt: int, task: str) -> str:
    """The place of a task's execution in a run."""
    return f"{stage}#{attempt}/{task}"
