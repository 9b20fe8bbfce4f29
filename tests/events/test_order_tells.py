"""A tool is heard while it runs, not before and not after."""

from __future__ import annotations

from uuid import uuid4

import pytest

from callsheet.events.activity import ActivityShown
from callsheet.events.order import OrderChecker, OrderViolation
from callsheet.events.output import ToolOutput
from callsheet.events.source import SourceFound
from callsheet.events.tool import ToolCallEnded, ToolCallStarted, ToolStarted
from callsheet.events.union import AnyRunEvent
from tests.events.test_order import RESULT, START

TOLD: list[AnyRunEvent] = [
    ToolOutput(tool_call_id="c", stream="stdout", text="x"),
    ActivityShown(tool_call_id="c", activity="x", message_id=str(uuid4()), content={}),
    SourceFound(tool_call_id="c", number=1, url="https://a.example/", title="A"),
]
ASKED: list[AnyRunEvent] = [
    START,
    ToolCallStarted(tool_call_id="c", tool="x", message_id="m", agent_run_id="a", visible=False),
    ToolCallEnded(tool_call_id="c"),
]


def checker(*events: AnyRunEvent) -> OrderChecker:
    order = OrderChecker()
    for event in events:
        order.check(event)
    return order


@pytest.mark.parametrize("told", TOLD)
def test_a_running_call_is_heard(told: AnyRunEvent) -> None:
    checker(*ASKED, ToolStarted(tool_call_id="c"), told, told, RESULT)


@pytest.mark.parametrize("told", TOLD)
@pytest.mark.parametrize("before", [[], [ToolStarted(tool_call_id="c"), RESULT]])
def test_a_call_that_does_not_run_is_not_heard(
    told: AnyRunEvent, before: list[AnyRunEvent]
) -> None:
    order = checker(*ASKED, *before)
    with pytest.raises(OrderViolation):
        order.check(told)
