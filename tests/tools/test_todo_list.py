"""The tool that keeps a todo list: what it takes, and what it tells the model."""

from __future__ import annotations

import json

import pytest

from callsheet.kit.errors import ToolRetry
from callsheet.todos.todo_list import TOOL, TodoList, TodoWish
from callsheet.tools.builtin.todo_list import ManageTodoList
from callsheet.tools.context import ToolContext
from callsheet.tools.invoke import ToolInvoker, ToolOutcome
from callsheet.tools.policy import Policy
from callsheet.tools.registry import ToolRegistry
from callsheet.tools.schema import function_schema
from tests.fakes.builtins import NoLists
from tests.todos.lists import wish
from tests.tools.calls import context

STEPS = [{"label": " look\n", "status": "running"}, {"label": "write", "status": "pending"}]


async def call(tool: ManageTodoList, arguments: object) -> ToolOutcome:
    registry = ToolRegistry()
    registry.add([tool], owner="tests")
    invoker = ToolInvoker(registry, Policy(()))
    return await invoker.invoke(TOOL, json.dumps(arguments), context(), allowed={TOOL})


class Kept(NoLists):
    def __init__(self) -> None:
        self.wishes: list[TodoWish] = []

    async def put(self, ctx: ToolContext, wish: TodoWish) -> TodoList:
        self.wishes.append(wish)
        return await super().put(ctx, wish)


async def test_the_list_is_kept_and_the_model_told_how_far_it_is() -> None:
    kept = Kept()
    outcome = await call(ManageTodoList(kept), {"title": " Report ", "items": STEPS})
    assert kept.wishes == [wish(">look", "-write")]
    assert (outcome.status, outcome.content) == (
        "ok",
        '{"status":"active","revision":1,"completed":0,"of":2}',
    )


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"title": "T"}, "items: Field required"),
        ({"title": "T", "items": []}, "items: List should have at least 1 item"),
        ({"title": "T", "items": STEPS * 26}, "items: List should have at most 50 items"),
        ({"title": "", "items": STEPS}, "title: String should have at least 1 character"),
        ({"title": "T" * 256, "items": STEPS}, "title: String should have at most 255 characters"),
        (
            {"title": "T", "items": [{"label": "  ", "status": "done"}]},
            "items.0.label: String should have at least 1 character; items.0.status: Input should "
            "be 'pending', 'running' or 'completed'",
        ),
        (
            {"title": "T", "items": [{"label": "x" * 501, "status": "pending"}]},
            "items.0.label: String should have at most 500 characters",
        ),
    ],
)
async def test_what_does_not_fit_is_told_field_by_field(arguments: object, says: str) -> None:
    kept = Kept()
    outcome = await call(ManageTodoList(kept), arguments)
    assert (outcome.status, kept.wishes) == ("error", [])
    assert says in outcome.content


async def test_a_list_that_may_not_follow_goes_back_to_the_model() -> None:
    class Refuses(NoLists):
        async def put(self, ctx: ToolContext, wish: TodoWish) -> TodoList:
            raise ToolRetry("'write' is pending; send it as running first.")

    outcome = await call(ManageTodoList(Refuses()), {"title": "T", "items": STEPS})
    assert outcome.content == "Error: 'write' is pending; send it as running first."


def test_it_changes_nothing_that_a_plan_would_have_to_name() -> None:
    tool = ManageTodoList(NoLists())
    assert tool.idempotent
    assert not hasattr(tool, "side_effect")
    parameters = function_schema(tool)["function"]["parameters"]
    assert parameters["required"] == ["title", "items"]
    item = parameters["properties"]["items"]["items"]
    assert item["properties"]["status"]["enum"] == ["pending", "running", "completed"]
