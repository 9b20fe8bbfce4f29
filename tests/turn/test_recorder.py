"""The only way into a journal: legal events in, one end, nothing left open."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from callsheet.events.agent import AgentFinished, AgentStarted
from callsheet.events.call import LlmCallStarted
from callsheet.events.order import OrderViolation
from callsheet.events.reasoning import ReasoningEnded, ReasoningStarted
from callsheet.events.run import RunCancelled, RunFailed, RunFinished, RunStarted
from callsheet.events.stage import StageFinished, StageStarted
from callsheet.events.text import TextDelta, TextEnded, TextStarted
from callsheet.events.tool import ToolCallEnded, ToolCallStarted
from callsheet.events.union import AnyRunEvent
from callsheet.events.usage import ModelUsage, Usage
from callsheet.turn.outcome import Answered, Cancelled, Failed, TurnOutcome
from callsheet.turn.recorder import Recorder
from callsheet.turn.run_meter import RunMeter
from tests.fakes.clock import HandClock
from tests.turn.scripted import MemoryLog, OnePrice
from tests.turn.test_engine import CALL

BEGIN = RunStarted(workflow="chat", revision="r", session_id="s", trace_id="t")
USED = (
    ModelUsage(
        factory="f",
        model="m",
        usage=Usage(input_tokens=1),
        cost=Decimal(1),
        currency="USD",
    ),
)
ENDS: list[tuple[TurnOutcome, str, AnyRunEvent]] = [
    (Answered("Hi", "m1"), "done", RunFinished(usage=USED, message_id="m1")),
    (Answered("", None), "done", RunFinished(usage=USED)),
    (Failed("cut", "It broke."), "failed", RunFailed(code="cut", message="It broke.", usage=USED)),
    (Cancelled("user"), "cancelled", RunCancelled(reason="user", usage=USED)),
]


def agent(agent_run_id: str, parent: str | None = None) -> AgentStarted:
    return AgentStarted(
        agent_run_id=agent_run_id,
        agent="a",
        label="A",
        stage="answer",
        task="t",
        parent_agent_run_id=parent,
    )


@pytest.mark.parametrize(("outcome", "status", "end"), ENDS)
async def test_whatever_is_open_is_ended_innermost_first_then_the_run(
    outcome: TurnOutcome, status: Any, end: AnyRunEvent
) -> None:
    log = MemoryLog()
    recorder = Recorder(log)
    begun: list[AnyRunEvent] = [
        BEGIN,
        StageStarted(stage="answer"),
        agent("outer"),
        agent("inner", "outer"),
        TextStarted(message_id="m1", agent_run_id="outer", visible=True),
        ReasoningStarted(message_id="m2", agent_run_id="inner", visible=False),
        ToolCallStarted(
            tool_call_id="c", tool="x", message_id="m3", agent_run_id="inner", visible=False
        ),
    ]
    for event in begun:
        recorder.emit(event)
    await recorder.finish(outcome, USED)
    assert log.events == [
        *begun,
        TextEnded(message_id="m1"),
        ReasoningEnded(message_id="m2"),
        ToolCallEnded(tool_call_id="c"),
        AgentFinished(agent_run_id="inner", status=status),
        AgentFinished(agent_run_id="outer", status=status),
        StageFinished(stage="answer", status=status),
        end,
    ]


async def test_a_run_ends_once() -> None:
    log = MemoryLog()
    recorder = Recorder(log)
    recorder.emit(BEGIN)
    await recorder.finish(Answered("", None), ())
    await recorder.finish(Cancelled("user"), ())
    assert log.events == [BEGIN, RunFinished()]
    with pytest.raises(OrderViolation):
        recorder.emit(StageStarted(stage="late"))


async def test_an_illegal_event_is_not_journaled() -> None:
    log = MemoryLog()
    recorder = Recorder(log)
    with pytest.raises(OrderViolation):
        recorder.emit(StageStarted(stage="too early"))
    recorder.emit(BEGIN)
    with pytest.raises(OrderViolation):
        recorder.emit(TextDelta(message_id="m1", text="x"))
    assert log.events == [BEGIN]


async def test_a_call_that_a_runner_left_open_is_told() -> None:
    log = MemoryLog()
    recorder = Recorder(log)
    recorder.emit(BEGIN)
    meter = RunMeter(OnePrice(), log, recorder.emit, HandClock())
    call = await meter.open(CALL)
    assert recorder.open_model_calls() == (call.call_id,)
    with pytest.raises(OrderViolation):
        await recorder.finish(Answered("", None), ())
    meter.close_all()
    assert recorder.open_model_calls() == ()
    await recorder.finish(Answered("", None), meter.usage())
    assert isinstance(log.events[-1], RunFinished)
    assert [type(e) for e in log.of(LlmCallStarted)] == [LlmCallStarted]
