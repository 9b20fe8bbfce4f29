"""A stage to run, with everything around it that a crew needs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from callsheet.crew.abilities import Abilities
from callsheet.crew.options import CrewOptions
from callsheet.kit.clock import SystemClock
from callsheet.kit.deadline import Deadline
from callsheet.kit.ids import new_id
from callsheet.llm.protocol import ChatClient
from callsheet.llm.registry import Models
from callsheet.llm.retry import RetryPolicy
from callsheet.tools.invoke import ToolInvoker
from callsheet.tools.policy import Policy
from callsheet.tools.registry import ToolRegistry
from callsheet.turn.ports import StageWork
from callsheet.turn.request import TurnRequest
from callsheet.turn.view import HistoryMessage, TurnView
from callsheet.workflows.tool_rule import ToolRule
from callsheet.workflows.workflow import AgentSpec, Stage, TaskSpec, Workflow
from tests.fakes.chat import OneModel


def agent(name: str = "writer", **more: Any) -> AgentSpec:
    given: dict[str, Any] = {
        "role": f"{name} role",
        "goal": "help",
        "backstory": "You know much.",
        "default_model": "m1",
    }
    return AgentSpec(name=name, **{**given, **more})


def task(name: str = "write", by: str = "writer", **more: Any) -> TaskSpec:
    given: dict[str, Any] = {
        "description": "Answer {message}.",
        "expected_output": "A text.",
        "inputs": {"message": "message.text"},
    }
    return TaskSpec(name=name, agent=by, **{**given, **more})


def stage_work(
    agents: Sequence[AgentSpec] = (agent(),),
    tasks: Sequence[TaskSpec] = (task(),),
    *,
    message: str = "Hello?",
    visible: bool = True,
    history: Sequence[HistoryMessage] = (),
    seconds: float = 20.0,
) -> StageWork:
    stage = Stage(
        name="execution",
        agents={spec.name: spec for spec in agents},
        tasks=tuple(tasks),
        visible=visible,
        history=bool(history),
    )
    return StageWork(
        request=TurnRequest(
            run_id=new_id(),
            session_id=new_id(),
            user_id=new_id(),
            workflow="chat",
            message_id=new_id(),
            message_text=message,
            trace_id="trace",
        ),
        workflow=Workflow(name="chat", revision="r1", stages=(stage,)),
        stage=stage,
        view=TurnView(
            message_text=message,
            history=tuple(history),
            now=datetime(2026, 1, 2, 3, 4, tzinfo=UTC),
        ),
        visible=visible,
        attempt=1,
        deadline=Deadline.after(seconds),
    )


def abilities(
    client: ChatClient,
    *,
    models: Models | None = None,
    tools: Sequence[Any] = (),
    options: CrewOptions | None = None,
    rules: Sequence[ToolRule] = (),
) -> Abilities:
    registry = ToolRegistry()
    registry.add(tools, owner="test")
    return Abilities(
        client=client,
        models=models or OneModel(),
        tools=registry,
        invoker=ToolInvoker(registry, Policy(rules)),
        clock=SystemClock(),
        retry=RetryPolicy(attempts=3, base_s=0.001),
        options=options or CrewOptions(),
    )
