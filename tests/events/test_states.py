"""Every pair of states of a stage and of a tool call, through the checker that journals pass."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import msgspec
import pytest

from callsheet.events.order import OrderChecker, OrderViolation
from callsheet.events.stage import StageFinished, StageRetried, StageSkipped, StageStarted
from callsheet.events.states import STAGE, TOOL_CALL, StageState, ToolState
from callsheet.events.tool import ToolCallEnded, ToolStarted
from callsheet.events.union import AnyRunEvent
from tests.events.test_order import AGENT, RESULT, START, TOOL, check_all

BEGIN = StageStarted(stage="s")
LEFT_OUT = StageSkipped(stage="s", rule="x")
AGAIN = StageRetried(stage="s", attempt=2, code="timed_out")
ENDS = ("done", "failed", "cancelled", "waiting")


def stage_end(state: StageState) -> StageFinished:
    return StageFinished(stage="s", status=state)  # type: ignore[arg-type]


def stage_in(state: StageState) -> OrderChecker:
    ways: dict[str, list[AnyRunEvent]] = {"pending": [], "running": [BEGIN], "skipped": [LEFT_OUT]}
    return check_all([START, *ways.get(state, [BEGIN, stage_end(state)])])


def stage_event(before: StageState, after: StageState) -> AnyRunEvent:
    if after == "running":
        return AGAIN if before == "running" else BEGIN
    return LEFT_OUT if after == "skipped" else stage_end(after)


def tool_event(state: ToolState) -> AnyRunEvent:
    if state == "asked":
        return ToolCallEnded(tool_call_id="c")
    if state == "running":
        return ToolStarted(tool_call_id="c")
    return msgspec.structs.replace(RESULT, status=state)


def tool_in(state: ToolState) -> OrderChecker:
    begun = check_all([START, AGENT, TOOL])
    if state == "asking":
        return begun
    begun.check(tool_event("asked"))
    if state != "asked":
        begun.check(tool_event(state))
    return begun


def may(check: Callable[[], None]) -> bool:
    try:
        check()
    except OrderViolation:
        return False
    return True


@pytest.mark.parametrize(("before", "after"), [*product(STAGE.states, STAGE.states[1:])])
def test_a_stage_changes_as_its_table_says(before: StageState, after: StageState) -> None:
    event = stage_event(before, after)
    assert may(lambda: stage_in(before).check(event)) == STAGE.allows(before, after)


@pytest.mark.parametrize(("before", "after"), [*product(TOOL_CALL.states, TOOL_CALL.states[1:])])
def test_a_tool_call_changes_as_its_table_says(before: ToolState, after: ToolState) -> None:
    event = tool_event(after)
    assert may(lambda: tool_in(before).check(event)) == TOOL_CALL.allows(before, after)


def test_one_stage_may_not_be_told_of_while_another_runs() -> None:
    for event in (LEFT_OUT, AGAIN):
        with pytest.raises(OrderViolation):
            check_all([START, StageStarted(stage="other")]).check(event)
