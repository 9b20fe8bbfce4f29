"""Tool calls, from the model's first character to the result."""

from __future__ import annotations

from typing import Literal

from callsheet.events.base import RunEvent
from callsheet.events.usage import Bill

ToolStatus = Literal["ok", "error", "cancelled", "unknown", "rejected"]
"""`unknown`: it was begun, its process ended, and doing it again might do it twice."""


class ToolCallStarted(RunEvent, frozen=True, kw_only=True, tag="tool_call_started"):
    """The model began to ask for a tool. `message_id` is the answer that asks."""

    tool_call_id: str
    tool: str
    message_id: str
    agent_run_id: str
    visible: bool


class ToolCallArgs(RunEvent, frozen=True, kw_only=True, tag="tool_call_args"):
    """More of the arguments' text; never empty."""

    tool_call_id: str
    text: str


class ToolCallEnded(RunEvent, frozen=True, kw_only=True, tag="tool_call_ended"):
    """The arguments are complete; the tool has not run yet."""

    tool_call_id: str
    bill: Bill | None = None


class ToolStarted(RunEvent, frozen=True, kw_only=True, tag="tool_started"):
    """The tool begins to run. Journaled first, so that a crash leaves a trace; not on the wire."""

    tool_call_id: str


class ToolResult(RunEvent, frozen=True, kw_only=True, tag="tool_result"):
    """What the tool gave back; also creates the `role = tool` message `message_id`.

    `is_clients`: the client ran it, and has the result already. `is_booked`: the tool asked models
    itself, which opened the message; `bill` is what they cost.
    """

    tool_call_id: str
    message_id: str
    tool: str
    agent_run_id: str
    stage: str
    agent: str
    content: str
    status: ToolStatus
    args_digest: str
    latency_ms: int
    visible: bool
    path: str = ""
    is_clients: bool = False
    is_booked: bool = False
    bill: Bill | None = None
