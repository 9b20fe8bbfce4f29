"""Tool calls on the wire: TOOL_CALL start, arguments, end and result."""

from __future__ import annotations

from callsheet.agui.frame import FrameWriter, Writers
from callsheet.agui.lane import Lane, open_lane, owned_by
from callsheet.agui.show import ShowOptions
from callsheet.agui.usage import bill_fields
from callsheet.events.tool import ToolCallArgs, ToolCallEnded, ToolCallStarted, ToolResult


class ToolFrames:
    """What is called. `calls` has every call seen so far by its id."""

    def __init__(self, out: FrameWriter, show: ShowOptions) -> None:
        self._out = out
        self._show = show
        self.calls: dict[str, Lane] = {}

    def writers(self) -> Writers:
        """Which event is written by what."""
        return {
            ToolCallStarted: self._call_started,
            ToolCallArgs: self._call_args,
            ToolCallEnded: self._call_ended,
            ToolResult: self._call_result,
        }

    def _call_started(self, event: ToolCallStarted) -> None:
        owner = owned_by(event.agent_run_id, visible=event.visible)
        lane = open_lane("TOOL_CALL_ARGS", "toolCallId", event.tool_call_id, owner)
        self.calls[event.tool_call_id] = lane
        self._out.put(
            {
                "type": "TOOL_CALL_START",
                "toolCallId": event.tool_call_id,
                "toolCallName": event.tool,
                "parentMessageId": event.message_id,
                **owner,
            }
        )

    def _call_args(self, event: ToolCallArgs) -> None:
        self._out.put_delta(self.calls[event.tool_call_id].opening, event.text)

    def _call_ended(self, event: ToolCallEnded) -> None:
        lane = self.calls[event.tool_call_id]
        self._out.put(
            {"type": "TOOL_CALL_END", "toolCallId": lane.wire_id, **lane.owner},
            bill_fields(event.bill, self._show),
        )

    def _call_result(self, event: ToolResult) -> None:
        if event.is_clients:  # it would stand there twice
            return
        self._out.put(
            {
                "type": "TOOL_CALL_RESULT",
                "messageId": event.message_id,
                "toolCallId": event.tool_call_id,
                "content": event.content,
                "role": "tool",
                **self._owner(event.tool_call_id),
            },
            {
                **(bill_fields(event.bill, self._show) or {}),
                "status": event.status,
                "latencyMs": event.latency_ms,
            },
        )

    def _owner(self, tool_call_id: str) -> dict[str, str]:
        """Who asked; a call that an earlier run asked for has no owner in this one."""
        lane = self.calls.get(tool_call_id)
        return {} if lane is None else lane.owner
