"""CrewAI's agent, with our executor put in cheaply."""

from __future__ import annotations

from typing import Any

from crewai import Agent, Crew, Task

from callsheet.crew.executor import LoopExecutor
from callsheet.crew.model import CrewModel
from callsheet.workflows.workflow import AgentSpec


class StageAgent(Agent):
    """A real agent that skips what only the stock executor reads: prompts, stop words, tools."""

    def create_agent_executor(self, tools: Any = None, task: Task | None = None) -> None:
        """Called by CrewAI at kickoff and again for each task."""
        executor = self.agent_executor
        if executor is None:
            crew = self.crew if isinstance(self.crew, Crew) else None
            llm = self.llm if isinstance(self.llm, CrewModel) else None
            # The metaclass of CrewAI's flows hides the fields from the type checker.
            executor = LoopExecutor(  # type: ignore[call-arg]
                llm=llm, agent=self, crew=crew, max_iter=self.max_iter
            )
            self.agent_executor = executor
        executor.task = task

    def _use_trained_data(self, task_prompt: str) -> str:
        """The prompt as it is: CrewAI would unpickle a file of the current directory here."""
        return task_prompt


def agent_of(spec: AgentSpec, model: CrewModel) -> Agent:
    """The CrewAI agent that performs with `model`; for one run."""
    return StageAgent(
        role=spec.role,
        goal=spec.goal,
        backstory=spec.backstory,
        llm=model,
        executor_class=LoopExecutor,
        max_iter=spec.max_iter,
        max_retry_limit=0,
        allow_delegation=False,
        respect_context_window=False,
        verbose=False,
    )
