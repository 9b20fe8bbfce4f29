"""A turn from request to outcome, with a scripted runner in the crew's place."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from callsheet.events.call import AnswerFinished, CallStatus, LlmCallFinished
from callsheet.events.run import RunCancelled, RunFailed, RunFinished, RunStarted
from callsheet.events.stage import StageFinished, StageRetried, StageSkipped, StageStarted
from callsheet.events.text import TextDelta, TextEnded, TextStarted
from callsheet.events.union import TERMINAL
from callsheet.events.usage import MeteredUsage, Usage, UsageSource
from callsheet.kit.clock import SystemClock
from callsheet.kit.errors import TurnFailed
from callsheet.turn.engine import TurnEngine
from callsheet.turn.meter import CallEnd, CallIntent, Meter
from callsheet.turn.outcome import Answered, Cancelled, Failed, TurnOutcome
from callsheet.turn.ports import Emit, StageWork
from callsheet.turn.turn import Turns
from callsheet.turn.view import StageResult
from callsheet.workflows.workflow import Workflow
from tests.turn.scripted import (
    RETRY_ONCE,
    MemoryLog,
    NoHistory,
    OnePrice,
    PlainRule,
    ScriptedRunner,
    request,
    stage,
    workflow,
)


def turns(runner: ScriptedRunner) -> Turns:
    return Turns(TurnEngine(runner, NoHistory(), SystemClock()), OnePrice(), SystemClock())


async def run(runner: ScriptedRunner, only: Workflow) -> tuple[TurnOutcome, MemoryLog]:
    log = MemoryLog()
    outcome = await turns(runner).run(request(), only, log, lambda: "user")
    return outcome, log


def simple(variables: dict[str, Any]) -> bool:
    return bool(variables["stages"]["intent"]["output"]["simple"])


def intent(is_simple: bool) -> Any:
    async def play(work: StageWork, emit: Emit, meter: Meter) -> StageResult:
        return StageResult(text="{}", output={"simple": is_simple})

    return play


THREE = workflow(
    stage("intent"),
    stage("execution", visible=True),
    stage("organization", visible=True, skip_when=PlainRule(simple, "intent")),
)


async def test_stages_run_in_order_and_the_last_visible_one_is_the_answer() -> None:
    runner = ScriptedRunner(intent=intent(is_simple=False))
    outcome, log = await run(runner, THREE)
    assert runner.ran == [("intent", False, 1), ("execution", False, 1), ("organization", True, 1)]
    assert isinstance(outcome, Answered)
    assert outcome.text == "organization"
    assert [type(e) for e in log.events] == [
        RunStarted,
        *[StageStarted, StageFinished] * 3,
        RunFinished,
    ]


async def test_a_rule_that_leaves_out_the_last_stage_makes_the_one_before_stream_live() -> None:
    runner = ScriptedRunner(intent=intent(is_simple=True))
    outcome, log = await run(runner, THREE)
    assert runner.ran == [("intent", False, 1), ("execution", True, 1)]
    assert isinstance(outcome, Answered)
    assert outcome.text == "execution"
    assert log.of(StageSkipped) == [StageSkipped(stage="organization", rule="plain")]


async def test_text_of_a_stage_that_only_later_proves_to_be_the_answer_is_shown_then() -> None:
    late = PlainRule(lambda v: True, "execution")
    only = workflow(
        stage("execution", visible=True), stage("organization", visible=True, skip_when=late)
    )
    runner = ScriptedRunner()
    outcome, log = await run(runner, only)
    assert runner.ran == [("execution", False, 1)]
    assert isinstance(outcome, Answered)
    shown = log.of(TextStarted, TextDelta, TextEnded, AnswerFinished)
    assert [type(e) for e in shown] == [TextStarted, TextDelta, TextEnded, AnswerFinished]
    assert shown[3] == AnswerFinished(
        message_id=outcome.message_id or "",
        status="final",
        text="execution",
        metadata={"visible": True, "model_only": True},
    )


async def test_a_stop_rule_ends_the_turn_with_what_there_is() -> None:
    only = workflow(
        stage("intent", stop_when=PlainRule(lambda v: True, "intent")),
        stage("execution", visible=True),
    )
    runner = ScriptedRunner()
    outcome, log = await run(runner, only)
    assert runner.ran == [("intent", False, 1)]
    assert isinstance(outcome, Answered)
    assert outcome.text == "intent"
    assert len(log.of(TextDelta)) == 1


async def test_a_stage_is_begun_again_for_the_codes_that_its_workflow_names() -> None:
    async def play(work: StageWork, emit: Emit, meter: Meter) -> StageResult:
        if work.attempt == 1:
            raise TurnFailed("no JSON", code="invalid_output")
        return StageResult(text="ok")

    runner = ScriptedRunner(intent=play)
    outcome, log = await run(runner, workflow(stage("intent", retry=RETRY_ONCE)))
    assert isinstance(outcome, Answered)
    assert log.of(StageRetried) == [StageRetried(stage="intent", attempt=2, code="invalid_output")]


async def test_other_failures_end_the_turn_with_their_code() -> None:
    async def play(work: StageWork, emit: Emit, meter: Meter) -> StageResult:
        raise TurnFailed("cut", code="provider_cut")

    runner = ScriptedRunner(intent=play)
    outcome, log = await run(runner, workflow(stage("intent", retry=RETRY_ONCE)))
    assert outcome == Failed(code="provider_cut", message="cut")
    assert log.events[-2:] == [
        StageFinished(stage="intent", status="failed"),
        RunFailed(code="provider_cut", message="cut"),
    ]


@pytest.mark.parametrize(("says", "attempts"), [(True, 1), (False, 2)])
async def test_a_stage_is_not_begun_again_once_people_may_have_read_its_text(
    says: bool, attempts: int
) -> None:
    async def play(work: StageWork, emit: Emit, meter: Meter) -> StageResult:
        if says:
            emit(TextStarted(message_id=f"m{work.attempt}", agent_run_id="a", visible=True))
            emit(TextEnded(message_id=f"m{work.attempt}"))
        raise TurnFailed("no JSON", code="invalid_output")

    runner = ScriptedRunner(answer=play)
    await run(runner, workflow(stage("answer", visible=True, retry=RETRY_ONCE)))
    assert runner.ran == [("answer", True, number + 1) for number in range(attempts)]


async def test_a_fault_of_ours_ends_the_run_without_its_details() -> None:
    async def play(work: StageWork, emit: Emit, meter: Meter) -> StageResult:
        raise KeyError("secret")

    outcome, log = await run(ScriptedRunner(intent=play), workflow(stage("intent")))
    assert isinstance(outcome, Failed)
    assert outcome.code == "internal"
    assert "secret" not in outcome.message
    assert isinstance(log.events[-1], RunFailed)


async def test_a_stop_closes_what_is_open_and_settles_the_call_under_way() -> None:
    begun = asyncio.Event()

    async def play(work: StageWork, emit: Emit, meter: Meter) -> StageResult:
        await meter.open(CALL)
        emit(TextStarted(message_id="m1", agent_run_id="a", visible=True))
        begun.set()
        await asyncio.sleep(60)
        raise AssertionError

    log = MemoryLog()
    work = turns(ScriptedRunner(answer=play))
    only = workflow(stage("answer", visible=True))
    task = asyncio.ensure_future(work.run(request(), only, log, lambda: "user"))
    await begun.wait()
    task.cancel()
    assert await task == Cancelled(reason="user")
    assert len(log.of(LlmCallFinished)) == 1
    assert log.events[-3:-1] == [
        TextEnded(message_id="m1"),
        StageFinished(stage="answer", status="cancelled"),
    ]
    assert isinstance(log.events[-1], RunCancelled)
    assert len(log.of(*TERMINAL)) == 1


async def test_usage_of_all_attempts_is_summed_by_model_and_billed_on_the_message() -> None:
    bills = []

    async def play(work: StageWork, emit: Emit, meter: Meter) -> StageResult:
        first = await meter.open(CALL)
        bills.append(first.close(ended("failed", Usage(input_tokens=5), "estimated")))
        second = await meter.open(replace(CALL, attempt=2))
        usage = Usage(input_tokens=10, output_tokens=2)
        bills.append(second.close(ended("settled", usage, "provider")))
        assert second.close(ended("failed", Usage(), "none")) is bills[-1]
        return StageResult(text="ok")

    _, log = await run(ScriptedRunner(answer=play), workflow(stage("answer")))
    assert [(b.usage.input_tokens, str(b.cost), b.estimated, b.seq) for b in bills] == [
        (5, "0.000005", True, 7),
        (15, "0.000021", True, 7),
    ]
    end = log.events[-1]
    assert isinstance(end, RunFinished)
    assert [(u.model, u.usage.total_tokens, str(u.cost)) for u in end.usage] == [
        ("m", 17, "0.000021")
    ]


async def test_an_unpriced_model_is_refused_before_anything_is_booked() -> None:
    async def play(work: StageWork, emit: Emit, meter: Meter) -> StageResult:
        await meter.open(replace(CALL, model="other"))
        raise AssertionError

    outcome, log = await run(ScriptedRunner(answer=play), workflow(stage("answer")))
    assert isinstance(outcome, Failed)
    assert outcome.code == "unpriced"
    assert not log.of(LlmCallFinished)


def ended(status: CallStatus, usage: Usage, source: UsageSource) -> CallEnd:
    return CallEnd(status=status, metered=MeteredUsage(usage=usage, source=source, raw={}))


CALL = CallIntent(
    message_id="m1",
    agent_run_id="a",
    stage="answer",
    agent="a",
    task="t",
    factory="f",
    model="m",
    attempt=1,
    visible=True,
    estimated_input_tokens=10,
    max_output_tokens=100,
)
