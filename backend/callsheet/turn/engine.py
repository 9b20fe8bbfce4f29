"""One turn, from request to outcome: the whole story, top to bottom."""

from __future__ import annotations

from callsheet.events.call import AnswerFinished
from callsheet.events.run import RunStarted
from callsheet.events.stage import StageSkipped
from callsheet.events.text import TextDelta, TextEnded, TextStarted
from callsheet.kit.clock import Clock
from callsheet.kit.deadline import Deadline
from callsheet.kit.errors import AppError
from callsheet.turn.decide import Skip, decide, looks_back, stops
from callsheet.turn.meter import Meter
from callsheet.turn.outcome import Answered, Failed, TurnOutcome
from callsheet.turn.ports import History, StageRunner, StageWork
from callsheet.turn.recorder import Recorder
from callsheet.turn.request import TurnRequest
from callsheet.turn.stage import run_stage
from callsheet.turn.view import StageResult, TurnView
from callsheet.workflows.workflow import Workflow


class TurnEngine:
    """Runs the stages of a workflow in order. Knows no framework and no database."""

    def __init__(self, runner: StageRunner, history: History, clock: Clock) -> None:
        self._runner = runner
        self._history = history
        self._clock = clock

    async def run(
        self, request: TurnRequest, workflow: Workflow, recorder: Recorder, meter: Meter
    ) -> TurnOutcome:
        """Answer one user message, recording every step but the end.

        A failed stage is an outcome, not an exception; cancellation passes through.
        """
        recorder.emit(
            RunStarted(
                workflow=workflow.name,
                revision=workflow.revision,
                session_id=str(request.session_id),
                trace_id=request.trace_id,
                parent_run_id=str(request.parent_run_id) if request.parent_run_id else None,
                session_tokens=request.session_tokens,
                session_cost=request.session_cost,
                currency=request.currency,
            )
        )
        deadline = Deadline.after(workflow.timeout_s)
        try:
            view = await self._view(request, workflow)
            return await self._stages(request, workflow, view, deadline, recorder, meter)
        except AppError as error:
            return Failed(code=error.error_code, message=str(error))

    async def _view(self, request: TurnRequest, workflow: Workflow) -> TurnView:
        now = self._clock.now()
        if request.is_first or not looks_back(workflow):
            return TurnView(request.message_text, (), now)
        messages, count = await self._history.before(request)
        return TurnView(request.message_text, tuple(messages), now, count)

    async def _stages(
        self,
        request: TurnRequest,
        workflow: Workflow,
        view: TurnView,
        deadline: Deadline,
        recorder: Recorder,
        meter: Meter,
    ) -> TurnOutcome:
        answer = StageResult(text="")
        shown = True
        for index, stage in enumerate(workflow.stages):
            decision = decide(stage, workflow.stages[index + 1 :], view)
            if isinstance(decision, Skip):
                recorder.emit(StageSkipped(stage=stage.name, rule=decision.rule))
                continue
            if view.results:
                # What was said is shown before building the next crew takes the loop for a while.
                await recorder.stored()
            work = StageWork(
                request=request,
                workflow=workflow,
                stage=stage,
                view=view,
                visible=decision.visible,
                attempt=1,
                deadline=deadline,
            )
            result = await run_stage(self._runner, work, recorder, meter)
            view = view.after(stage.name, result)
            if stage.visible:
                answer, shown = result, decision.visible
            if stops(stage, view):
                answer, shown = result, decision.visible
                break
        if answer.text and not shown:
            _show(answer, recorder)
        return Answered(text=answer.text, message_id=answer.message_id)


def _show(answer: StageResult, recorder: Recorder) -> None:
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
            metadata={"visible": True},
        )
    )
