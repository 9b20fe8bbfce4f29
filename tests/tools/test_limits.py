"""Each tool keeps to the limits that tools.yaml gives it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from uuid import uuid4

import pytest
from pydantic import BaseModel

from callsheet.kit.clock import SystemClock
from callsheet.kit.deadline import Deadline
from callsheet.tools.context import ToolContext
from callsheet.tools.registry import ToolRegistry
from callsheet.wiring.tools import make_tools
from callsheet.workflows.tool_rule import ToolRule


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
