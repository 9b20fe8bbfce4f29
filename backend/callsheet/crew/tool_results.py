"""The event that ends a tool call."""

from __future__ import annotations

from typing import Final

import msgspec

from callsheet.crew.booked import Booked
from callsheet.crew.frame import Frame
from callsheet.events.call import AnswerFinished, RequestedTool
from callsheet.events.tool import ToolResult, ToolStatus
from callsheet.kit.ids import new_id
from callsheet.tools.arguments import digest_of
from callsheet.tools.invoke import ToolOutcome

_STOPPED: Final = "Stopped before it had a result."
_UNKNOWN: Final = (
    "It was begun and then cut off: nobody knows whether it was done. Do not simply do it again: "
    "find out first, or tell the user."
)


def tool_result(
    frame: Frame, call: RequestedTool, outcome: ToolOutcome, *, is_clients: bool = False
) -> ToolResult:
    """The result of a call that ran, here or in the client."""
    result = _result(
        frame, call, outcome.status, outcome.content, outcome.args_digest, outcome.latency_ms
    )
    return msgspec.structs.replace(result, is_clients=True) if is_clients else result


def stopped_result(frame: Frame, call: RequestedTool) -> ToolResult:
    """The end of a call that was asked for and will not be answered."""
    return _result(frame, call, "cancelled", _STOPPED, digest_of(call.arguments), 0)


def with_booked(result: ToolResult, booked: Booked | None) -> ToolResult:
    """The result on the message that the tool's own model calls have opened; as it is without."""
    if booked is None:
        return result
    return msgspec.structs.replace(
        result, message_id=booked.message_id, is_booked=True, bill=booked.bill
    )


def taken_back(booked: Booked) -> AnswerFinished:
    """The end of that message where the call has no result yet: it asks a person first."""
    return AnswerFinished(
        message_id=booked.message_id, status="discarded", text="", metadata={"visible": False}
    )


def unknown_result(frame: Frame, call: RequestedTool) -> ToolResult:
    """The end of a call that was begun by a process that is gone, and is not made again."""
    return _result(frame, call, "unknown", _UNKNOWN, digest_of(call.arguments), 0)


def _result(
    frame: Frame,
    call: RequestedTool,
    status: ToolStatus,
    content: str,
    args_digest: str,
    latency_ms: int,
) -> ToolResult:
    return ToolResult(
        tool_call_id=call.tool_call_id,
        message_id=str(new_id()),
        tool=call.name,
        agent_run_id=frame.agent_run_id,
        stage=frame.stage,
        agent=frame.agent.name,
        content=content,
        status=status,
        args_digest=args_digest,
        latency_ms=latency_ms,
        visible=frame.visible,
        path=frame.path,
    )
