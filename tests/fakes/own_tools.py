"""Tools of a test in a running deployment."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

from pydantic import BaseModel

from callsheet.tools.context import ToolContext
from callsheet.tools.register import register_tool
from callsheet.tools.registered import forget, registered
from tests.fakes.deployment import Deployment


class Text(BaseModel):
    text: str = "nothing"


class Own:
    """A tool that does what the test says; `more` are what it says of itself."""

    description = "Does what a test says."
    Args: type[BaseModel] = Text

    def __init__(
        self, name: str, do: Callable[[Any, ToolContext], Awaitable[Any]], **more: Any
    ) -> None:
        self.name = f"own_{name}"
        self.calls = 0
        self._do = do
        for key, value in more.items():
            setattr(self, key, value)

    async def run(self, args: Any, ctx: ToolContext) -> Any:
        self.calls += 1
        return await self._do(args, ctx)


def give(deployment: Deployment, *names: str) -> None:
    """Let the agent that works have these tools too."""
    deployment.edit("crews/chat/agents.yaml", "ask_user, ", f"ask_user, {', '.join(names)}, ")


@contextmanager
def own_tools(deployment: Deployment, *tools: Own, policy: str = "{}") -> Iterator[None]:
    """Give these tools to the agent that works, in every application that is made inside."""
    before = registered()
    with (deployment.config / "tools.yaml").open("a", encoding="utf-8") as file:
        file.write(f'\n"own_*": {policy}\n')
    give(deployment, *(tool.name for tool in tools))
    try:
        for tool in tools:
            register_tool(tool)
        yield
    finally:
        forget(before)
