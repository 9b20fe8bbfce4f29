"""The messages that a run's events make; pure."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from callsheet.events.call import LlmCallStarted
from callsheet.events.tool import ToolResult
from callsheet.sessions.new_message import NewMessage


def answer_message(run_id: UUID, session_id: UUID, event: LlmCallStarted) -> NewMessage:
    """The message of an answer that a model is asked for."""
    return NewMessage(
        id=event.message_id,
        session_id=session_id,
        role="assistant",
        content="",
        model_code=event.model,
        metadata={
            "status": "streaming",
            "run_id": str(run_id),
            "stage": event.stage,
            "agent": event.agent,
            "task": event.task,
            "visible": event.visible,
        },
    )


def opened_by_tool(run_id: UUID, session_id: UUID, event: LlmCallStarted) -> NewMessage:
    """The message of a tool's result before there is one: the tool asks a model."""
    return NewMessage(
        id=event.message_id,
        session_id=session_id,
        role="tool",
        content="",
        tool_name=event.tool,
        metadata=_of_tool("streaming", run_id, event, {"name": event.tool}),
    )


def result_message(run_id: UUID, session_id: UUID, event: ToolResult) -> NewMessage:
    """The message of what a tool gave."""
    tool = {
        "name": event.tool,
        "status": event.status,
        "args_digest": event.args_digest,
        "call_id": event.tool_call_id,
    }
    return NewMessage(
        id=event.message_id,
        session_id=session_id,
        role="tool",
        content=event.content,
        tool_name=event.tool,
        latency_ms=event.latency_ms,
        metadata=_of_tool("final", run_id, event, tool),
    )


def _of_tool(
    status: str, run_id: UUID, event: LlmCallStarted | ToolResult, tool: dict[str, Any]
) -> dict[str, Any]:
    return {
        "status": status,
        "run_id": str(run_id),
        "stage": event.stage,
        "agent": event.agent,
        "tool": tool,
    }
