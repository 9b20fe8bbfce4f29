"""Stages and agents on the wire: STEP and SUBAGENT."""

from __future__ import annotations

from collections.abc import Container

from callsheet.agui.frame import FrameWriter, Writers
from callsheet.agui.show import ShowOptions
from callsheet.events.agent import AgentFinished, AgentStarted
from callsheet.events.stage import StageFinished, StageStarted


class AgentFrames:
    """Who works. `calls` holds the tool calls seen so far, which an agent may come from."""

    def __init__(self, out: FrameWriter, calls: Container[str], show: ShowOptions) -> None:
        self._out = out
        self._show = show
        self._calls = calls
        self._agents: set[str] = set()

    def writers(self) -> Writers:
        """Which event is written by what."""
        return {
            StageStarted: self._stage_started,
            StageFinished: self._stage_finished,
            AgentStarted: self._agent_started,
            AgentFinished: self._agent_finished,
        }

    def _stage_started(self, event: StageStarted) -> None:
        self._out.put({"type": "STEP_STARTED", "stepName": event.stage})

    def _stage_finished(self, event: StageFinished) -> None:
        self._out.put({"type": "STEP_FINISHED", "stepName": event.stage}, {"status": event.status})

    def _agent_started(self, event: AgentStarted) -> None:
        started = {
            "type": "SUBAGENT_STARTED",
            "subagentRunId": event.agent_run_id,
            "name": event.label or event.agent,
        }
        parent, call = event.parent_agent_run_id, event.parent_tool_call_id
        if parent is not None and parent in self._agents:
            started["parentSubagentRunId"] = parent
        if call is not None and call in self._calls:
            started["parentToolCallId"] = call
        self._agents.add(event.agent_run_id)
        self._out.put(started, {"agent": event.agent, "stage": event.stage, "task": event.task})

    def _agent_finished(self, event: AgentFinished) -> None:
        if event.status == "done":
            self._out.put({"type": "SUBAGENT_FINISHED", "subagentRunId": event.agent_run_id})
            return
        if event.status == "waiting":
            finished = {"type": "SUBAGENT_FINISHED", "subagentRunId": event.agent_run_id}
            self._out.put(finished, {"status": "waiting"})
            return
        why = event.message if self._show.everything else None  # it may name model or money
        self._out.put(
            {
                "type": "SUBAGENT_ERROR",
                "subagentRunId": event.agent_run_id,
                "message": why or f"The agent was {event.status}.",
                "code": event.status,
            }
        )
