"""Agent executions: AG-UI's sub-agents."""

from __future__ import annotations

from callsheet.events.base import RunEvent
from callsheet.events.stage import EndStatus


class AgentStarted(RunEvent, frozen=True, kw_only=True, tag="agent_started"):
    """An agent begins a task. `agent_run_id` is fresh for each execution; `agent` is its YAML key.

    `label` is for people. `parent_agent_run_id` and `parent_tool_call_id` are set for a coworker
    that another agent asked (delegation).
    """

    agent_run_id: str
    agent: str
    label: str
    stage: str
    task: str
    parent_agent_run_id: str | None = None
    parent_tool_call_id: str | None = None


class AgentFinished(RunEvent, frozen=True, kw_only=True, tag="agent_finished"):
    """An agent execution has ended; `message` says why where it failed."""

    agent_run_id: str
    status: EndStatus
    message: str | None = None


class HistoryCut(RunEvent, frozen=True, kw_only=True, tag="history_cut"):
    """So many of the session's oldest turns did not fit into what an agent's model can be told."""

    agent_run_id: str
    stage: str
    turns_left_out: int


class TaskFinished(RunEvent, frozen=True, kw_only=True, tag="task_finished"):
    """A task has its output. Part of the record that a later start goes on from; not on the wire.

    `path` is the place of the execution in the run: stage, task index, attempt, nested calls.
    """

    path: str
    task: str
    output: str
