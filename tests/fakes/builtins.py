"""What built-in tools need, where nobody looks at what they do with it."""

from __future__ import annotations

from uuid import uuid4

from callsheet.settings.web import WebSettings
from callsheet.todos.todo_list import TodoItem, TodoList, TodoWish
from callsheet.tools.artifact import Artifact, Read
from callsheet.tools.builtin.ports import BuiltinPorts
from callsheet.tools.context import ToolContext
from callsheet.tools.sandbox.options import SandboxOptions
from callsheet.tools.sandbox.protocol import (
    ExecutionResult,
    Program,
    SandboxState,
    SandboxUnavailable,
    Watch,
)
from callsheet.wiring.web import make_engine, make_fetcher
from tests.fakes.post import NoPost


class NoArtifacts:
    """Keeps files in memory."""

    def __init__(self) -> None:
        self.kept: list[tuple[Artifact, bytes]] = []

    async def keep(
        self, ctx: ToolContext, name: str, data: bytes, media_type: str = ""
    ) -> Artifact:
        artifact = Artifact(uuid4(), name, media_type, len(data))
        self.kept.append((artifact, data))
        return artifact

    async def find(self, ctx: ToolContext, reference: str) -> tuple[Artifact, Read] | None:
        return None


class NoSandbox:
    """Runs nothing."""

    async def run(self, program: Program, watch: Watch) -> ExecutionResult:
        raise SandboxUnavailable("There is none.")

    def state(self) -> SandboxState:
        return SandboxState("no_engine", "There is no engine.")


class NoLists:
    """Takes every list and keeps none."""

    async def put(self, ctx: ToolContext, wish: TodoWish) -> TodoList:
        items = tuple(TodoItem(uuid4(), step.label, step.status) for step in wish.steps)
        now = ctx.clock.now()
        return TodoList(
            id=uuid4(),
            session_id=ctx.session_id,
            run_id=ctx.run_id,
            tool_call_id=ctx.tool_call_id,
            title=wish.title,
            revision=1,
            status="active",
            items=items,
            created_at=now,
            updated_at=now,
        )


def no_ports() -> BuiltinPorts:
    return BuiltinPorts(
        post=NoPost(),
        artifacts=NoArtifacts(),
        lists=NoLists(),
        search=make_engine(WebSettings()),
        fetcher=make_fetcher(WebSettings()),
        sandbox=NoSandbox(),
        sandbox_options=SandboxOptions(),
    )
