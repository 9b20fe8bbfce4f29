"""Who is on stage: the agent executions of one stage, from their start to their end."""

from __future__ import annotations

from callsheet.crew.frame import Frame
from callsheet.events.agent import AgentFinished, AgentStarted, TaskFinished
from callsheet.events.stage import EndStatus
from callsheet.turn.ports import Emit
from callsheet.workflows.workflow import AgentSpec


class Cast:
    """Knows each execution by the id of its CrewAI task and says once when it began and ended."""

    def __init__(self, emit: Emit, language: str = "en") -> None:
        self._emit = emit
        self._language = language
        self._frames: dict[str, Frame] = {}
        self._on_stage: dict[str, Frame] = {}
        self._outputs: dict[str, str] = {}
        self._reasons: dict[str, str] = {}
        self._closed = False

    def expect(self, task_id: str, frame: Frame) -> None:
        """The CrewAI task `task_id` will be this execution."""
        self._frames[task_id] = frame

    def enter(self, task_id: str) -> None:
        """It begins; an unknown id is nobody of ours."""
        frame = self._frames.get(task_id)
        if frame is None or task_id in self._on_stage or self._closed:
            return
        self._on_stage[task_id] = frame
        self._emit(
            AgentStarted(
                agent_run_id=frame.agent_run_id,
                agent=frame.agent.name,
                label=label_of(frame.agent, self._language),
                stage=frame.stage,
                task=frame.task,
                parent_agent_run_id=frame.parent_agent_run_id,
                parent_tool_call_id=frame.parent_tool_call_id,
            )
        )

    def fail(self, path: str, reason: str) -> None:
        """The execution will fail for this reason, which people may read."""
        self._reasons[path] = reason

    def leave(self, task_id: str, status: EndStatus) -> None:
        """It has ended; a second word on it is ignored.

        What CrewAI says about a failure is not passed on: it may quote our insides.
        """
        frame = self._on_stage.pop(task_id, None)
        if frame is not None:
            reason = self._reasons.pop(frame.path, None) if status == "failed" else None
            self._emit(
                AgentFinished(agent_run_id=frame.agent_run_id, status=status, message=reason)
            )

    def deliver(self, path: str, output: str) -> None:
        """The output of an execution is there; its task is not finished yet."""
        self._outputs[path] = output

    def task_done(self, task_id: str) -> None:
        """CrewAI has finished with the task: its output is taken as it is."""
        frame = self._frames.get(task_id)
        if frame is not None:
            output = self._outputs.pop(frame.path, "")
            self._emit(TaskFinished(path=frame.path, task=frame.task, output=output))

    def close(self, status: EndStatus) -> None:
        """End whoever is still on stage, the last one first: a stop makes CrewAI say nothing.

        Nobody enters after it.
        """
        self._closed = True
        for task_id in reversed(list(self._on_stage)):
            self.leave(task_id, status)


def label_of(agent: AgentSpec, language: str) -> str:
    """The agent's name for people: in their language, else in English, else its role."""
    return agent.label.get(language) or agent.label.get("en") or agent.role
