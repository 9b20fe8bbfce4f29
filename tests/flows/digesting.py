"""A tool that asks a model itself, in a running deployment."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from callsheet.tools.context import ToolContext
from callsheet.tools.pause import Ask, NeedsPerson
from tests.fakes.agui_client import Turn
from tests.fakes.books import Books
from tests.fakes.chat_script import chat_script
from tests.fakes.deployment import Deployment
from tests.fakes.own_tools import Own, own_tools
from tests.fakes.provider.scenario import Rule, Scenario

DIGEST = ("own_digest", {"text": "a long page"})


async def digest(args: Any, ctx: ToolContext) -> str:
    return "In short: " + await ctx.models.ask(f"Digest this: {args.text}", max_output_tokens=64)


async def digest_twice(args: Any, ctx: ToolContext) -> list[str]:
    other = [{"role": "system", "content": "Digest this"}, {"role": "user", "content": args.text}]
    return list(
        await asyncio.gather(
            ctx.models.ask(f"Digest this: {args.text}"),
            ctx.models.ask(other, model="qwen3.5-flash"),
        )
    )


async def ask_then_wait(args: Any, ctx: ToolContext) -> str:
    question = await ctx.models.ask(f"Digest this: {args.text}")
    raise NeedsPerson(Ask(message=question, response_schema={"type": "object"}))


async def ask_for_nothing(args: Any, ctx: ToolContext) -> str:
    return await ctx.models.ask("Digest this", model="no-such-model")


def script(*calls: tuple[str, Any], inside: dict[str, Any] | None = None) -> Scenario:
    """The agent that works calls these; what a tool asks is answered with `inside`."""
    tools = [{"name": name, "arguments": json.dumps(args)} for name, args in calls]
    base = chat_script(complexity="simple", execution={"tools": tools})
    own = Rule(match="^Digest this", set={"text": "SECRET digest", **(inside or {})})
    return Scenario(rules=(own, *base.rules))


@contextmanager
def digesting(deployment: Deployment, do: Any = digest, **more: Any) -> Iterator[Own]:
    tool = Own("digest", do, **more)
    with own_tools(deployment, tool):
        yield tool


async def tool_messages(books: Books, turn: Turn) -> list[dict[str, Any]]:
    found = await books.messages(turn.headers["x-session-id"])
    return [
        {**row, "own": json.loads(row["raw_metadata"])} for row in found if row["role"] == "tool"
    ]


async def inner_calls(books: Books) -> list[dict[str, Any]]:
    return [row for row in await books.calls() if row["tool"] is not None]
