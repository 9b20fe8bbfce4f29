"""A scripted tool and one way to call it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Literal
from uuid import uuid4

from pydantic import BaseModel, Field

from callsheet.kit.deadline import Deadline
from callsheet.tools.context import ToolContext
from callsheet.tools.invoke import ToolInvoker, ToolOutcome
from callsheet.tools.options import ToolOptions
from callsheet.tools.policy import Policy
from callsheet.tools.registry import ToolRegistry
from callsheet.workflows.tool_rule import ToolRule
from tests.fakes.clock import HandClock


class Search(BaseModel):
    query: str = Field(min_length=1)
    limit: int = Field(default=3, ge=1, le=10)
    order: Literal["new", "old"] = "new"


class Nothing(BaseModel):
    pass


class Scripted:
    """A tool that does what the test says."""

    def __init__(self, do: Callable[[Any], Any], args: type[BaseModel] = Search) -> None:
        self.name = "search"
        self.description = "Searches."
        self.Args = args
        self.calls: list[Any] = []
        self._do = do

    async def run(self, args: Any, ctx: ToolContext) -> Any:
        self.calls.append(args)
        result = self._do(args)
        return await result if asyncio.iscoroutine(result) else result


def context(seconds: float = 5.0) -> ToolContext:
    return ToolContext(
        user_id=uuid4(),
        session_id=uuid4(),
        run_id=uuid4(),
        tool_call_id="call_1",
        agent="doer",
        deadline=Deadline.after(seconds),
        clock=HandClock(),
    )


async def call(
    tool: Scripted,
    arguments: str,
    *,
    name: str = "search",
    seconds: float = 5.0,
    options: ToolOptions | None = None,
    allowed: frozenset[str] = frozenset({"search"}),
    rules: Sequence[ToolRule] = (),
    **more: bool,
) -> ToolOutcome:
    registry = ToolRegistry()
    registry.add([tool], owner="tests")
    invoker = ToolInvoker(registry, Policy(rules, options))
    return await invoker.invoke(name, arguments, context(seconds), allowed=allowed, **more)
