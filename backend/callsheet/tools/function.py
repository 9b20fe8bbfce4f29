"""A plain typed function with a docstring as a tool."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final, Unpack

from pydantic import BaseModel

from callsheet.kit.errors import SetupError
from callsheet.kit.threads import Threads
from callsheet.tools.context import ToolContext
from callsheet.tools.signature import Told, called_with, told_of
from callsheet.tools.thread_tell import ThreadTell
from callsheet.tools.traits import Traits

# How many calls of one function run side by side; others wait, within their own time.
THREADS: Final = 8


class FunctionTool:
    """Calls the function with the arguments as its annotations say.

    An async one runs on the event loop, any other in a thread of a pool that is this tool's own:
    a function that hangs holds up no other. A thread cannot be stopped; when the time of a call is
    over it goes on unheard.
    """

    def __init__(self, work: Callable[..., Any], **traits: Unpack[Traits]) -> None:
        """Raises SetupError where the function cannot be a tool."""
        told: Told = told_of(work)
        self.name: str = traits.get("name", told.name)
        self.description: str = traits.get("description", told.description)
        if not self.description:
            raise SetupError(
                f"The function {told.place} has no docstring; a model knows nothing else of it."
            )
        self.Args: type[BaseModel] = told.args
        self.group: str = traits.get("group", "other")
        self.label: Mapping[str, str] = traits.get("label", {})
        self.summary: str = traits.get("summary", told.summary)
        self.idempotent: bool = traits.get("idempotent", False)
        self.side_effect: str | None = traits.get("side_effect")
        self.requires_approval: bool = traits.get("requires_approval", False)
        self.instructions: str | None = traits.get("instructions")
        self.timeout_s: float | None = traits.get("timeout_s")
        self._work = work
        self._told = told
        self._threads: Threads | None = None
        if not inspect.iscoroutinefunction(work):
            self._threads = Threads(f"tool-{self.name}", limit=THREADS)

    async def run(self, args: BaseModel, ctx: ToolContext) -> Any:
        """What the function returns."""
        if self._threads is not None:
            ctx = replace(ctx, tell=ThreadTell(ctx.tell))
        call = partial(self._work, **called_with(self._told, args, ctx))
        result = call() if self._threads is None else await self._threads.run(call)
        # A decorated async function looks like a plain one.
        return await result if inspect.isawaitable(result) else result


def function_tool(**traits: Unpack[Traits]) -> Callable[[Callable[..., Any]], FunctionTool]:
    """A decorator that makes the function a tool, for packages that offer it.

    `register_tool` leaves the function what it is, and is for programs.
    """
    return lambda work: FunctionTool(work, **traits)
