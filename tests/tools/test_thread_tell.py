"""What a function in a thread lets people see is told on the event loop."""

from __future__ import annotations

import asyncio
import dataclasses
import functools
import threading
from collections.abc import Callable
from typing import Any, Literal

import pytest

from callsheet.tools.arguments import validated
from callsheet.tools.context import ToolContext
from callsheet.tools.function import FunctionTool
from callsheet.tools.source import Source
from callsheet.tools.tell import Untold
from tests.tools.calls import context


class Heard(Untold):
    """Keeps each word with the thread that it was heard in."""

    def __init__(self) -> None:
        super().__init__()
        self.words: list[tuple[str, int]] = []

    def output(self, stream: Literal["stdout", "stderr"], text: str) -> None:
        self.words.append((text, threading.get_ident()))

    def source(self, source: Source) -> int:
        self.words.append((source.title, threading.get_ident()))
        return super().source(source)


def in_a_thread(ctx: ToolContext) -> list[int]:
    """Find."""
    ctx.tell.output("stdout", "one")
    numbers = [ctx.tell.source(Source(f"https://{name}.example/", name)) for name in "aba"]
    ctx.tell.output("stdout", "two")
    return numbers


async def on_the_loop(ctx: ToolContext) -> list[int]:
    """Find."""
    return in_a_thread(ctx)


def decorated(work: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(work)
    def plain(*args: Any, **named: Any) -> Any:
        return work(*args, **named)

    return plain


@pytest.mark.parametrize("work", [in_a_thread, on_the_loop, decorated(on_the_loop)])
async def test_every_word_is_heard_on_the_loop_and_in_its_order(work: Callable[..., Any]) -> None:
    tool, tell = FunctionTool(work), Heard()
    ctx = dataclasses.replace(context(), tell=tell)
    async with asyncio.timeout(20):
        found = await tool.run(validated(tool.Args, {}), ctx)
    assert found == [1, 2, 1]
    assert tell.words == [(word, threading.get_ident()) for word in ("one", *"aba", "two")]


async def test_what_goes_wrong_there_is_the_functions_to_know() -> None:
    class Broken(Untold):
        def output(self, stream: Literal["stdout", "stderr"], text: str) -> None:
            raise ValueError("not now")

    tool = FunctionTool(in_a_thread)
    ctx = dataclasses.replace(context(), tell=Broken())
    with pytest.raises(ValueError, match="not now"):
        await tool.run(validated(tool.Args, {}), ctx)
