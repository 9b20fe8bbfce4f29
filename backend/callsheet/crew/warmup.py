"""Gets CrewAI ready, off the path of the server's start.

After the import one crew is run for nobody: the first one takes half a second more than the rest,
and whatever is wrong with the installation shows here and not in a user's turn.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Final

from callsheet.crew.abilities import Abilities
from callsheet.crew.quiet import load_crewai
from callsheet.events.union import AnyRunEvent
from callsheet.events.usage import Bill, Usage
from callsheet.kit.clock import SystemClock
from callsheet.kit.deadline import Deadline
from callsheet.kit.ids import new_id
from callsheet.llm.chat import ChatPart, ChatRequest, FinishPart, TextPart
from callsheet.llm.model import Model
from callsheet.tools.invoke import ToolInvoker
from callsheet.tools.registry import ToolRegistry
from callsheet.turn.meter import CallEnd, CallIntent
from callsheet.turn.ports import StageWork
from callsheet.turn.request import TurnRequest
from callsheet.turn.view import TurnView
from callsheet.workflows.workflow import AgentSpec, Stage, TaskSpec, Workflow

_NAME: Final = "warm-up"
_SECONDS: Final = 60.0


def warm_up(data_dir: Path) -> None:
    """Load CrewAI, silenced, and run one crew without a model, a ledger or a listener.

    Blocks for some seconds, so call it in a thread. A second call returns almost at once.
    """
    load_crewai(data_dir)
    asyncio.run(_run_once())


async def _run_once() -> None:
    from callsheet.crew.runner import CrewRunner  # noqa: PLC0415 - imports crewai: seconds

    registry = ToolRegistry()
    abilities = Abilities(
        client=_Nobody(),
        models=_NoModels(),
        tools=registry,
        invoker=ToolInvoker(registry),
        clock=SystemClock(),
    )
    await CrewRunner(abilities).run(_work(), _ignore, _Free())


def _work() -> StageWork:
    agent = AgentSpec(name=_NAME, role=_NAME, goal=_NAME, backstory=_NAME, default_model=_NAME)
    task = TaskSpec(name=_NAME, description=_NAME, expected_output=_NAME, agent=_NAME)
    stage = Stage(name=_NAME, agents={_NAME: agent}, tasks=(task,))
    request = TurnRequest(
        run_id=new_id(),
        session_id=new_id(),
        user_id=new_id(),
        workflow=_NAME,
        message_id=new_id(),
        message_text="",
        trace_id=_NAME,
    )
    return StageWork(
        request=request,
        workflow=Workflow(name=_NAME, revision=_NAME, stages=(stage,)),
        stage=stage,
        view=TurnView(message_text="", history=(), now=SystemClock().now()),
        visible=False,
        attempt=1,
        deadline=Deadline.after(_SECONDS),
    )


def _ignore(event: AnyRunEvent) -> None:
    """An `Emit` without a recorder."""


class _Nobody:
    """A chat client that answers by itself."""

    async def stream(
        self, request: ChatRequest, deadline: Deadline
    ) -> AsyncGenerator[Sequence[ChatPart], None]:
        yield (TextPart("ready"), FinishPart("stop"))


class _NoModels:
    """Knows any model, and that none is called."""

    def get(self, model_code: str) -> Model:
        return Model(
            model_code=model_code, factory=_NAME, upstream_model=_NAME, base_url="", api_key=None
        )

    def all(self) -> Mapping[str, Model]:
        return {}


class _Free:
    """A meter and an open call that book nothing."""

    call_id = _NAME

    async def open(self, intent: CallIntent) -> _Free:
        return self

    async def stored(self) -> None:
        """At once."""

    def close(self, end: CallEnd) -> Bill:
        return Bill(
            message_id=_NAME,
            seq=0,
            model=_NAME,
            usage=Usage(),
            cost=Decimal(0),
            currency="USD",
            latency_ms=0,
        )
