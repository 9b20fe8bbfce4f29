"""One turn, from request to outcome: the whole story, top to bottom."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Final

from callsheet.events.call import AnswerFinished
from callsheet.events.interrupt import InterruptAnswered
from callsheet.events.run import RunStarted
from callsheet.events.stage import StageSkipped
from callsheet.events.text import TextDelta, TextEnded, TextStarted
from callsheet.kit.clock import Clock
from callsheet.kit.deadline import Deadline
from callsheet.kit.errors import AppError
from callsheet.kit.json import decode
from callsheet.turn.decide import Skip, decide, looks_back, stops
from callsheet.turn.grounds import grounds
from callsheet.turn.meter import Meter
from callsheet.turn.outcome import Answered, Failed, TurnOutcome, Waiting
from callsheet.turn.paused import Paused
from callsheet.turn.ports import History, StageRunner, StageWork, Steering, Unsteered
from callsheet.turn.record import Past, Record, path_of
from callsheet.turn.recorder import Recorder
from callsheet.turn.request import TurnRequest
from callsheet.turn.stage import run_stage
from callsheet.turn.view import StageResult, TurnView
from callsheet.workflows.workflow import Stage, Workflow

_LEAST_S: Final = 1.0
"""What a run that goes on has at least, however long it ran before."""
_UNSTEERED: Final = Unsteered()


class TurnEngine:
    """Runs the stages of a workflow in order. Knows no framework and no database."""

    def __init__(
        self, runner: StageRunner, history: History, clock: Clock, steering: Steering = _UNSTEERED
    ) -> None:
        self._steering = steering
        self._runner = runner
        self._history = history
        self._clock = clock

    async def run(
        self,
        request: TurnRequest,
        workflow: Workflow,
        recorder: Recorder,
        meter: Meter,
        past: Past,
    ) -> TurnOutcome:
        """Answer one user message, recording every step but the end.

        What `past` has done is not done again. A stage that failed or waits is an outcome, not an
        exception; cancellation passes through.
        """
        if not past.own:
            recorder.emit(_started(request, workflow))
        _hear(past, recorder)
        deadline = Deadline.after(max(workflow.timeout_s - past.ran_s, _LEAST_S))
        try:
            view = await self._view(request, workflow, past)
            return await self._stages(
                _Turn(request, workflow, recorder, meter, past.record, deadline, self._steering),
                view,
            )
        except AppError as error:
            return Failed(code=error.error_code, message=str(error))
        except Paused as paused:
            return Waiting(paused.interrupts)

    async def _view(self, request: TurnRequest, workflow: Workflow, past: Past) -> TurnView:
        now = past.began_at or self._clock.now()
        if request.is_first or not looks_back(workflow):
            return TurnView(request.message_text, (), now, settings=request.settings)
        earlier = await self._history.before(request)
        return TurnView(
            request.message_text,
            earlier.messages,
            now,
            earlier.message_count,
            request.settings,
            todo=earlier.todo,
        )

    async def _stages(self, turn: _Turn, view: TurnView) -> TurnOutcome:
        record, recorder = turn.record, turn.recorder
        answer = StageResult(text="")
        shown = True
        for index, stage in enumerate(turn.workflow.stages):
            decision = decide(stage, turn.workflow.stages[index + 1 :], view)
            if isinstance(decision, Skip):
                recorder.emit(StageSkipped(stage=stage.name, rule=decision.rule))
                continue
            result = _stored(record, stage)
            if result is None and view.results:
                # What was said is shown before building the next crew takes the loop for a while.
                await recorder.stored()
            if result is None:
                work = turn.work(stage, view, visible=decision.visible)
                result = await run_stage(self._runner, work, recorder, turn.meter)
            view = view.after(stage.name, result).steered(record.steered_in(stage.name))
            if stage.visible:
                answer, shown = result, decision.visible
            if stops(stage, view):
                answer, shown = result, decision.visible
                break
        if answer.text and not shown and answer.message_id not in record.shown:
            _show(answer, recorder, record)
        return Answered(text=answer.text, message_id=answer.message_id)


@dataclass(frozen=True, slots=True)
class _Turn:
    """What stays the same for all stages of one turn."""

    request: TurnRequest
    workflow: Workflow
    recorder: Recorder
    meter: Meter
    record: Record
    deadline: Deadline
    steering: Steering

    def work(self, stage: Stage, view: TurnView, *, visible: bool) -> StageWork:
        steers = self.workflow.when_busy == "steer"
        return StageWork(
            request=self.request,
            workflow=self.workflow,
            stage=stage,
            view=view,
            visible=visible,
            attempt=self.record.attempt(stage.name),
            deadline=self.deadline,
            record=self.record,
            steering=partial(self.steering.next, self.request) if steers else None,
        )


def _hear(past: Past, recorder: Recorder) -> None:
    """Record what people said, where that was not done by a process that is gone."""
    heard = {each.interrupt_id for each in past.own if isinstance(each, InterruptAnswered)}
    for answer in past.answers:
        if answer.interrupt_id not in heard:
            recorder.emit(answer)
            past.record.take(answer)


def _started(request: TurnRequest, workflow: Workflow) -> RunStarted:
    return RunStarted(
        workflow=workflow.name,
        revision=workflow.revision,
        session_id=str(request.session_id),
        trace_id=request.trace_id,
        parent_run_id=str(request.parent_run_id) if request.parent_run_id else None,
        session_tokens=request.session_tokens,
        session_cost=request.session_cost,
        currency=request.currency,
    )


def _stored(record: Record, stage: Stage) -> StageResult | None:
    """What the stage gave before; None where it is to run."""
    text = record.stages.get(stage.name)
    if text is None:
        return None
    last = stage.tasks[-1]
    path = path_of(stage.name, record.attempt(stage.name), last.name)
    return StageResult(
        text=text,
        output=decode(text) if last.output_schema is not None else None,
        message_id=record.last_message(path) if text else None,
    )


def _show(answer: StageResult, recorder: Recorder, record: Record) -> None:
    """Send text that had streamed as an inner stage's, now that it is known to be the answer."""
    if answer.message_id is None:
        return
    recorder.emit(TextStarted(message_id=answer.message_id, agent_run_id="", visible=True))
    recorder.emit(TextDelta(message_id=answer.message_id, text=answer.text))
    recorder.emit(TextEnded(message_id=answer.message_id))
    recorder.emit(
        AnswerFinished(
            message_id=answer.message_id,
            status="final",
            text=answer.text,
            metadata={"visible": True, **grounds(record.sources)},
        )
    )
