"""Each tool keeps to the limits that tools.yaml gives it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any
from uuid import uuid4

import pytest
from pydantic import BaseModel

from callsheet.kit.clock import SystemClock
from callsheet.kit.deadline import Deadline
from callsheet.tools.context import ToolContext
from callsheet.tools.invoke import ToolInvoker
from callsheet.tools.policy import Policy
from callsheet.tools.registry import ToolRegistry
from callsheet.wiring.tools import make_tools
from callsheet.workflows.tool_rule import ToolRule
from tests.tools.calls import Scripted


class Nothing(BaseModel):
    pass


class Named:
    """A tool of that name."""

    description = "Does something."
    Args: type[BaseModel] = Nothing

    def __init__(self, name: str, do: Callable[[], Awaitable[str]]) -> None:
        self.name = name
        self._do = do

    async def run(self, args: Nothing, ctx: ToolContext) -> str:
        return await self._do()


async def sleeper() -> str:
    await asyncio.sleep(0.3)
    return "awake"


async def talker() -> str:
    return "x" * 1000


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("quick", "Error: The tool 'quick' was stopped: it did not finish in time."),
        ("patient", "awake"),
        ("brief", "x" * 200 + "\n[cut here: the first 200 of 1000 characters]"),
        ("long", "x" * 1000),
    ],
)
async def test_a_tool_keeps_to_its_own_limits(name: str, content: str) -> None:
    registry = ToolRegistry()
    registry.add([Named("quick", sleeper), Named("patient", sleeper)], owner="tests")
    registry.add([Named("brief", talker), Named("long", talker)], owner="tests")
    rules = {
        "quick": ToolRule("quick", "allow", timeout_s=0.05, max_result_chars=200),
        "brief": ToolRule("brief", "allow", timeout_s=5, max_result_chars=200),
    }
    context = ToolContext(
        user_id=uuid4(),
        session_id=uuid4(),
        run_id=uuid4(),
        tool_call_id="c",
        agent="a",
        deadline=Deadline.after(5),
        clock=SystemClock(),
    )

    outcome = await make_tools(registry, rules).invoker.invoke(name, "{}", context, allowed={name})

    assert outcome.content.startswith(content)


@pytest.mark.parametrize("own", ["5", 0, -1, None, float("nan")])
def test_a_tools_own_limit_counts_where_it_is_one(own: Any) -> None:
    registry = ToolRegistry()
    odd, plain = Scripted(lambda _: "x"), Scripted(lambda _: "x")
    odd.timeout_s, odd.name = own, "odd"  # type: ignore[attr-defined]
    plain.timeout_s = 61.0  # type: ignore[attr-defined]
    registry.add([odd, plain], owner="tests")
    ruled = ToolInvoker(registry, Policy([ToolRule("search", timeout_s=7)]))

    assert ToolInvoker(registry).options_of("search").timeout_s == 61
    assert ToolInvoker(registry).options_of("odd").timeout_s == 30
    assert ruled.options_of("search").timeout_s == 7
