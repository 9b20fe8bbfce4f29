"""A run of one stage whose calls a test chooses, and what of it is told."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import msgspec

from callsheet.events.agent import AgentFinished, AgentStarted
from callsheet.events.call import CallStatus
from callsheet.events.run import RunFinished
from callsheet.events.stage import StageFinished, StageStarted
from callsheet.events.union import AnyRunEvent
from callsheet.events.usage import MeteredUsage, Usage, UsageSource
from tests.agui.calls import call, named, used
from tests.agui.encoded import events
from tests.agui.journal import RUN, numbered, started


def activities(shown: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Those of costs."""
    return [event for event in shown if event.get("activityType") == "callsheet.cost"]


def attempt(
    number: int,
    cost: str,
    status: CallStatus = "settled",
    *,
    message: str = "intent",
    source: UsageSource = "provider",
    tokens: int = 10,
) -> tuple[AnyRunEvent, AnyRunEvent]:
    """One call that books on a message of the stage `intent`."""
    begun, ended = call(RUN, "intent", "intent", "router")
    names = {"call_id": f"call {number}", "message_id": message}
    metered = MeteredUsage(usage=Usage(input_tokens=tokens), source=source)
    exact = Decimal(cost)
    return msgspec.structs.replace(begun, **names), msgspec.structs.replace(
        ended, **names, status=status, metered=metered, cost_exact=exact, cost_native=exact
    )


def run_with(*inside: AnyRunEvent, after: tuple[AnyRunEvent, ...] = ()) -> list[dict[str, Any]]:
    """What is shown of a run with these events in its one stage, and those after it."""
    agent = named(RUN, "router")
    told = [
        started(),
        StageStarted(stage="intent"),
        AgentStarted(agent_run_id=agent, agent="router", label="", stage="intent", task="t"),
        *inside,
        AgentFinished(agent_run_id=agent, status="done"),
        StageFinished(stage="intent", status="done"),
        *after,
    ]
    return events(numbered([*told, RunFinished(usage=used(told))]))
