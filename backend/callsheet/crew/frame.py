"""Which execution of which agent something belongs to."""

from __future__ import annotations

from dataclasses import dataclass

from callsheet.workflows.workflow import AgentSpec


@dataclass(frozen=True, slots=True)
class Frame:
    """One execution of one agent on one task.

    `path` is its place in the run: `<stage>#<attempt>/<task>` and, for a coworker, the tool call
    that asked for it behind another slash. `visible`: its text is the user's answer. `depth`
    counts the delegations above it.
    """

    agent_run_id: str
    path: str
    stage: str
    agent: AgentSpec
    task: str
    visible: bool
    depth: int = 0
    parent_agent_run_id: str | None = None
    parent_tool_call_id: str | None = None
