"""A typed function with a docstring is a tool."""

from __future__ import annotations

import asyncio
import functools
import threading
from collections.abc import Callable
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from callsheet.kit.errors import ToolRetry
from callsheet.tools.arguments import validated
from callsheet.tools.context import ToolContext
from callsheet.tools.function import THREADS, FunctionTool
from callsheet.tools.invoke import ToolInvoker
from callsheet.tools.options import ToolOptions
from callsheet.tools.policy import Policy
from callsheet.tools.registry import ToolRegistry
from callsheet.tools.schema import function_schema
from callsheet.tools.tool import Tool
from tests.tools.calls import context


class Place(BaseModel):
    city: str


def stock(
    article: str,
    place: Place,
    at_least: Annotated[int, Field(ge=1, description="From the annotation.")] = 1,
    copy: list[str] = [],  # noqa: B006 - what people write
    kind: Literal["new", "used"] | None = None,
) -> dict[str, Any]:
    """Count the pieces of an article.

    Looks into the warehouse
    and nowhere else.

    Args:
        article: Its number,
            e.g. A-1042.
        at_least: Not shown.
        kind: Which ones.

    Returns:
        The number of pieces.
    """
    return {"article": article, "city": place.city, "at_least": at_least, "copy": copy}


async def call(
    tool: FunctionTool, arguments: dict[str, Any], ctx: ToolContext | None = None
) -> Any:
    return await tool.run(validated(tool.Args, arguments), ctx or context())


def test_signature_and_docstring_are_all_that_a_model_sees() -> None:
    tool = FunctionTool(stock)
    assert isinstance(tool, Tool)
    assert tool.summary == "Count the pieces of an article."
    assert function_schema(tool)["function"] == {
        "name": "stock",
        "description": "Count the pieces of an article.\n\nLooks into the warehouse\nand nowhere "
        "else.\n\nReturns: The number of pieces.",
        "parameters": {
            "type": "object",
            "properties": {
                "article": {"type": "string", "description": "Its number, e.g. A-1042."},
                "place": {
                    "type": "object",
                    "properties": {"city": {"type": "string"}},
                    "required": ["city"],
                },
                "at_least": {
                    "type": "integer",
                    "minimum": 1,
                    "default": 1,
                    "description": "From the annotation.",
                },
                "copy": {"type": "array", "items": {"type": "string"}, "default": []},
                "kind": {
                    "type": "string",
                    "enum": ["new", "used"],
                    "description": "Which ones.",
                },
            },
            "required": ["article", "place"],
        },
    }


async def test_the_function_gets_what_its_annotations_say() -> None:
    tool = FunctionTool(stock)
    found = await call(tool, {"article": "A-1", "place": {"city": "Bonn"}})
    assert found == {"article": "A-1", "city": "Bonn", "at_least": 1, "copy": []}


async def test_a_default_is_not_shared_by_calls() -> None:
    tool = FunctionTool(stock)
    arguments = {"article": "A-1", "place": {"city": "Bonn"}}
    (await call(tool, arguments))["copy"].append("more")
    assert (await call(tool, arguments))["copy"] == []


def test_wrong_arguments_are_named_as_the_model_knows_them() -> None:
    tool = FunctionTool(stock)
    with pytest.raises(ToolRetry, match=r"article: .*; place\.city: "):
        validated(tool.Args, {"article": 1, "place": {}})


async def test_the_context_is_known_by_its_type_and_no_argument() -> None:
    async def mine(turn: ToolContext, word: str) -> str:
        """Say whose turn it is."""
        return f"{word} {turn.user_id}"

    tool, ctx = FunctionTool(mine), context()
    assert list(function_schema(tool)["function"]["parameters"]["properties"]) == ["word"]
    assert await call(tool, {"word": "of", "turn": "forged"}, ctx) == f"of {ctx.user_id}"


async def test_a_plain_function_never_blocks_the_loop() -> None:
    gate, where = threading.Event(), list[str]()

    def wait() -> str:
        """Wait."""
        where.append(threading.current_thread().name)
        gate.wait(20)
        return "done"

    tool = FunctionTool(wait)
    task = asyncio.ensure_future(call(tool, {}))
    while not where:
        await asyncio.sleep(0.01)
    gate.set()
    assert await task == "done"
    assert where == ["tool-wait-1"]


async def test_functions_that_hang_hold_up_no_other_tool() -> None:
    gate = threading.Event()

    def hang() -> None:
        """Hang."""
        gate.wait(30)

    def quick() -> str:
        """Answer."""
        return "at once"

    hung = FunctionTool(hang)
    tasks = [asyncio.ensure_future(call(hung, {})) for _ in range(THREADS + 2)]
    await asyncio.sleep(0)
    assert await call(FunctionTool(quick), {}) == "at once"
    gate.set()
    await asyncio.wait(tasks)


async def test_a_call_whose_time_is_over_is_an_outcome_though_its_thread_goes_on() -> None:
    gate, ended = threading.Event(), threading.Event()

    def hang() -> None:
        """Hang."""
        gate.wait(30)
        ended.set()

    registry = ToolRegistry()
    registry.add([FunctionTool(hang)], owner="tests")
    invoker = ToolInvoker(registry, Policy(common=ToolOptions(timeout_s=0.05)))
    outcome = await invoker.invoke("hang", "{}", context(), allowed={"hang"})
    assert outcome.content == "Error: The tool 'hang' was stopped: it did not finish in time."
    assert not ended.is_set()
    gate.set()
    assert await asyncio.to_thread(ended.wait, 20)


async def test_what_a_plain_function_tells_the_model_reaches_it() -> None:
    def refuse(article: str) -> str:
        """Refuse."""
        raise ToolRetry(f"There is no {article}.")

    registry = ToolRegistry()
    registry.add([FunctionTool(refuse)], owner="tests")
    invoker = ToolInvoker(registry)
    outcome = await invoker.invoke("refuse", '{"article":"A"}', context(), allowed={"refuse"})
    assert (outcome.status, outcome.content) == ("error", "Error: There is no A.")


async def test_a_decorated_async_function_is_awaited() -> None:
    def logged(work: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(work)
        def inner(*args: Any, **more: Any) -> Any:
            return work(*args, **more)

        return inner

    @logged
    async def twice(number: int) -> int:
        """Double it."""
        return number * 2

    assert await call(FunctionTool(twice), {"number": 4}) == 8


async def test_a_method_of_an_object_is_a_function_too() -> None:
    class Warehouse:
        pieces = 7

        def count(self, article: str) -> int:
            """Count."""
            return self.pieces

    assert await call(FunctionTool(Warehouse().count), {"article": "A"}) == 7


def test_what_a_function_cannot_say_is_given_beside_it() -> None:
    tool = FunctionTool(
        stock,
        name="count_stock",
        description="For the model.",
        group="warehouse",
        label={"zh": "库存"},
        summary="For people.",
        idempotent=True,
        side_effect="Takes a number.",
        requires_approval=True,
        instructions="Count first.",
        timeout_s=5,
    )
    assert (tool.name, tool.description, tool.group) == (
        "count_stock",
        "For the model.",
        "warehouse",
    )
    assert (tool.label, tool.summary, tool.idempotent) == ({"zh": "库存"}, "For people.", True)
    assert (tool.side_effect, tool.requires_approval) == ("Takes a number.", True)
    assert (tool.instructions, tool.timeout_s) == ("Count first.", 5)
