"""The order rules: what a client would refuse never gets into a journal."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from callsheet.events.agent import AgentFinished, AgentStarted
from callsheet.events.call import LlmCallFinished, LlmCallStarted
from callsheet.events.order import OrderChecker, OrderViolation
from callsheet.events.reasoning import ReasoningDelta, ReasoningEnded, ReasoningStarted
from callsheet.events.run import RunCancelled, RunFailed, RunFinished, RunPaused, RunStarted
from callsheet.events.stage import StageFinished, StageSkipped, StageStarted
from callsheet.events.steered import Steered
from callsheet.events.text import TextDelta, TextEnded, TextStarted
from callsheet.events.tool import (
    ToolCallArgs,
    ToolCallEnded,
    ToolCallStarted,
    ToolResult,
    ToolStarted,
)
from callsheet.events.union import AnyRunEvent
from callsheet.events.usage import MeteredUsage, Usage

START = RunStarted(workflow="chat", revision="r", session_id="s", trace_id="t")
STAGE = StageStarted(stage="intent")
AGENT = AgentStarted(agent_run_id="a", agent="router", label="Router", stage="intent", task="t")
TEXT = TextStarted(message_id="m", agent_run_id="a", visible=False)
THINK = ReasoningStarted(message_id="m", agent_run_id="a", visible=False)
TOOL = ToolCallStarted(tool_call_id="c", tool="x", message_id="m", agent_run_id="a", visible=False)
CALL = LlmCallStarted(
    call_id="k",
    message_id="m",
    agent_run_id="a",
    stage="intent",
    agent="router",
    task="t",
    factory="f",
    model="x",
    attempt=1,
    started_at=datetime(2026, 1, 1, tzinfo=UTC),
    price_id="p",
    reserved_cost=Decimal(0),
    currency="USD",
    visible=False,
    estimated_input_tokens=1,
)
CALL_END = LlmCallFinished(
    call_id="k",
    message_id="m",
    status="settled",
    metered=MeteredUsage(usage=Usage(), source="estimated"),
    cost_native=Decimal(0),
    cost_exact=Decimal(0),
    latency_ms=1,
)
REFUSED = LlmCallFinished(
    call_id="k",
    message_id="m",
    status="refused",
    metered=MeteredUsage(usage=Usage(), source="none"),
    cost_native=Decimal(0),
    cost_exact=Decimal(0),
    latency_ms=0,
)
RESULT = ToolResult(
    tool_call_id="c",
    message_id="r",
    tool="x",
    agent_run_id="a",
    stage="intent",
    agent="router",
    content="1",
    status="ok",
    args_digest="",
    latency_ms=1,
    visible=False,
)
ASKED: list[AnyRunEvent] = [TOOL, ToolCallEnded(tool_call_id="c")]


def check_all(events: list[AnyRunEvent]) -> OrderChecker:
    order = OrderChecker()
    for event in events:
        order.check(event)
    return order


LEGAL: dict[str, list[AnyRunEvent]] = {
    "whole run": [
        START,
        STAGE,
        AGENT,
        CALL,
        THINK,
        ReasoningDelta(message_id="m", text="hm"),
        ReasoningEnded(message_id="m"),
        TEXT,
        TextDelta(message_id="m", text="hi"),
        CALL_END,
        TextEnded(message_id="m"),
        *ASKED,
        ToolStarted(tool_call_id="c"),
        RESULT,
        AgentFinished(agent_run_id="a", status="done"),
        StageFinished(stage="intent", status="done"),
        StageSkipped(stage="organization", rule="x"),
        RunFinished(),
    ],
    "an inner text that turns out to be the answer": [
        START,
        TEXT,
        TextEnded(message_id="m"),
        TextStarted(message_id="m", agent_run_id="", visible=True),
        TextEnded(message_id="m"),
        RunFinished(),
    ],
    "cancelled at once": [START, RunCancelled(reason="user")],
    "a pause with a call that has no result": [START, *ASKED, RunPaused(interrupts=())],
    "a call that a budget refused before it began": [START, REFUSED, RunFinished()],
    "a call that a budget refused when it began": [START, CALL, REFUSED, RunFinished()],
}

ILLEGAL: dict[str, list[AnyRunEvent]] = {
    "text before the run": [TEXT],
    "a second start": [START, START],
    "a delta of nothing open": [START, TextDelta(message_id="m", text="x")],
    "a delta after the end of its text": [
        START,
        TEXT,
        TextEnded(message_id="m"),
        TextDelta(message_id="m", text="x"),
    ],
    "a text twice": [START, TEXT, TextEnded(message_id="m"), TEXT],
    "a visible text twice": [
        START,
        TextStarted(message_id="m", agent_run_id="", visible=True),
        TextEnded(message_id="m"),
        TextStarted(message_id="m", agent_run_id="", visible=True),
    ],
    "reasoning while the text is open": [START, TEXT, THINK],
    "text while the reasoning is open": [START, THINK, TEXT],
    "a tool call while its text is open": [START, TEXT, TOOL],
    "a tool call while its reasoning is open": [START, THINK, TOOL],
    "arguments after their end": [START, *ASKED, ToolCallArgs(tool_call_id="c", text="{}")],
    "a result before the call is whole": [START, TOOL, RESULT],
    "a second result": [START, *ASKED, RESULT, RESULT],
    "a result of no call": [START, RESULT],
    "a tool that begins unasked": [START, ToolStarted(tool_call_id="c")],
    "a stage in a stage": [START, STAGE, StageStarted(stage="execution")],
    "the end of another stage": [START, STAGE, StageFinished(stage="execution", status="done")],
    "a stage's end with an agent at work": [
        START,
        STAGE,
        AGENT,
        StageFinished(stage="intent", status="done"),
    ],
    "an agent twice": [START, AGENT, AgentFinished(agent_run_id="a", status="done"), AGENT],
    "an agent of unknown parent": [
        START,
        AgentStarted(
            agent_run_id="b",
            agent="x",
            label="X",
            stage="s",
            task="t",
            parent_agent_run_id="nobody",
        ),
    ],
    "a call twice": [START, CALL, CALL],
    "a call settled twice": [START, CALL, CALL_END, CALL_END],
    "a call settled that has not begun": [START, CALL_END],
    "a call refused twice": [START, REFUSED, REFUSED],
    "a call refused that was settled": [START, CALL, CALL_END, REFUSED],
    "a call that begins after its refusal": [START, REFUSED, CALL],
    "an end with a text open": [START, TEXT, RunFinished()],
    "a pause with a stage open": [START, STAGE, RunPaused(interrupts=())],
    "anything after a pause": [START, RunPaused(interrupts=()), STAGE],
    "a failure with a stage open": [START, STAGE, RunFailed(code="x", message="x")],
    "an end with a model call open": [START, CALL, RunCancelled(reason="user")],
    "anything after the end": [START, RunFinished(), STAGE],
    "two ends": [START, RunFinished(), RunFinished()],
}


@pytest.mark.parametrize("events", LEGAL.values(), ids=LEGAL.keys())
def test_legal_orders_pass(events: list[AnyRunEvent]) -> None:
    assert check_all(events).ended


@pytest.mark.parametrize("events", ILLEGAL.values(), ids=ILLEGAL.keys())
def test_illegal_orders_are_refused_at_their_last_event(events: list[AnyRunEvent]) -> None:
    order = check_all(events[:-1])
    with pytest.raises(OrderViolation):
        order.check(events[-1])


def test_closers_end_everything_so_that_the_run_may_end() -> None:
    order = check_all([START, STAGE, AGENT, CALL, TEXT, CALL_END])
    closers = order.closers("cancelled")
    assert closers == (
        TextEnded(message_id="m"),
        AgentFinished(agent_run_id="a", status="cancelled"),
        StageFinished(stage="intent", status="cancelled"),
    )
    for event in closers:
        order.check(event)
    order.check(RunCancelled(reason="user"))
    assert order.ended


def test_an_unfinished_model_call_is_named() -> None:
    assert check_all([START, CALL]).open_model_calls() == ("k",)
    assert check_all([START, CALL, CALL_END]).open_model_calls() == ()


CARRIED: list[AnyRunEvent] = [START, STAGE, AGENT, ToolStarted(tool_call_id="asked before")]


def test_what_was_journaled_of_a_run_that_goes_on_from_another_is_taken_as_it_stands() -> None:
    order = OrderChecker()
    order.replay([*CARRIED, ToolStarted(tool_call_id="asked before, too")])
    order.check(
        ToolResult(
            tool_call_id="asked before", message_id="r", tool="x", agent_run_id="a",
            stage="intent", agent="router", content="", status="ok", args_digest="", latency_ms=0,
            visible=False,
        )
    )  # fmt: skip
    with pytest.raises(OrderViolation):
        order.check(ToolStarted(tool_call_id="never asked"))


def test_a_call_of_its_own_is_not_carried() -> None:
    with pytest.raises(OrderViolation):
        OrderChecker().replay([START, STAGE, AGENT, ToolStarted(tool_call_id="c"), TOOL])


def test_a_message_goes_into_a_run_only_where_a_stage_is_at_work() -> None:
    said = Steered(run_id="r", message_id="m", text="t", path="intent#1/t", iteration=0)
    check_all([START, STAGE, said, AGENT, said])
    done: list[AnyRunEvent] = [START, STAGE, StageFinished(stage="intent", status="done")]
    for before in ([], done[:1], done):
        order = check_all(before)
        with pytest.raises(OrderViolation):
            order.check(said)
