"""A stage's crew without a run: real CrewAI objects that nobody performs in yet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from crewai import Agent, Crew, Task
from pydantic import ValidationError

from callsheet.crew.agent import agent_of
from callsheet.crew.model import CrewModel
from callsheet.crew.part import Part
from callsheet.kit.errors import TurnFailed
from callsheet.workflows.inputs import ResolvedTask
from callsheet.workflows.workflow import Stage


@dataclass(frozen=True, slots=True)
class Role:
    """One task of the crew, and the model of the agent that will do it."""

    task: Task
    model: CrewModel

    def give_to(self, part: Part, resolved: ResolvedTask) -> None:
        """From now on it is this part's; once."""
        self.model.speak_for(part)
        if resolved.description:
            self.task.description = resolved.description
        if resolved.expected_output:
            self.task.expected_output = resolved.expected_output


@dataclass(frozen=True, slots=True)
class Shell:
    """A crew for exactly one run. `roles` by the name of the task."""

    crew: Crew
    roles: Mapping[str, Role]


def build_shell(stage: Stage) -> Shell:
    """The stage's crew: an agent of its own for each task, so that tasks may run side by side.

    Raises:
        TurnFailed: `crew_invalid` where CrewAI refuses the tasks as they are combined.
    """
    agents: list[Agent] = []
    roles: dict[str, Role] = {}
    try:
        for spec in stage.tasks:
            who = stage.agents[spec.agent]
            model = CrewModel(model=who.default_model, provider="callsheet")
            agent = agent_of(who, model)
            task = Task(
                name=spec.name,
                description=spec.description or spec.name,
                expected_output=spec.expected_output or "An answer.",
                agent=agent,
                context=[roles[name].task for name in spec.context],
                async_execution=spec.async_execution,
            )
            agents.append(agent)
            roles[spec.name] = Role(task, model)
        crew = Crew(
            name=stage.name,
            agents=[*agents],
            tasks=[role.task for role in roles.values()],
            verbose=False,
            tracing=False,
            memory=False,
            cache=False,
            planning=False,
        )
    except ValidationError as error:
        reasons = "; ".join(problem["msg"] for problem in error.errors(include_input=False))
        raise TurnFailed(
            f"CrewAI does not take the crew of stage {stage.name!r}: {reasons}",
            code="crew_invalid",
        ) from error
    for agent in agents:  # as a kickoff does, where it would hold a run up
        agent.crew = crew
        agent.create_agent_executor()
    return Shell(crew, roles)
