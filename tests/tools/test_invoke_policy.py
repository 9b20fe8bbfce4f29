"""The policy on the one path of every call."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel, field_validator

from callsheet.interrupts.schema import misfit
from callsheet.kit.errors import ToolFailed
from callsheet.tools.context import ToolContext
from callsheet.tools.edited import WrongField, wrong_field
from callsheet.tools.invoke import ToolInvoker
from callsheet.tools.options import ToolOptions
from callsheet.tools.policy import Policy
from callsheet.tools.registry import ToolRegistry
from callsheet.tools.schema import closed
from callsheet.workflows.tool_rule import ToolRule
from tests.tools.calls import Nothing, Scripted, call, context

FINE = '{"query": "tea"}'


def tool(**more: Any) -> Scripted:
    made = Scripted(lambda args: "done")
    for name, value in more.items():
        setattr(made, name, value)
    return made


def invoker(made: Scripted, *rules: ToolRule) -> ToolInvoker:
    registry = ToolRegistry()
    registry.add([made], owner="tests")
    return ToolInvoker(registry, Policy(rules))


async def test_a_denied_tool_is_answered_like_one_that_there_is_not() -> None:
    made = tool()
    rules = [ToolRule("sea*", "deny")]
    for arguments in (FINE, "null", '{"query": 5'):
        denied = await call(made, arguments, rules=rules, is_approved=True)
        unknown = await call(made, arguments, name="xsearch")
        assert denied.status == "error"
        assert denied.content == unknown.content.replace("xsearch", "search")
    assert made.calls == []
    assert not invoker(made, *rules).offers("search")
    assert invoker(made, *rules).ask_first("search", FINE, allowed={"search"}) is None


async def test_what_is_not_allowed_yet_never_runs() -> None:
    made = tool(requires_approval=True)
    outcome = await call(made, FINE)
    assert outcome.status == "error"
    assert "has to be allowed by the user" in outcome.content
    assert made.calls == []
    assert (await call(made, FINE, is_approved=True)).status == "ok"


async def test_what_needs_a_plan_says_so_and_asks_nobody() -> None:
    made = tool(side_effect="It is sent.", requires_approval=True)
    outcome = await call(made, FINE, needs_plan=True)
    assert "'request_plan_approval' first" in outcome.content
    assert made.calls == []
    asks = invoker(made)
    assert asks.ask_first("search", FINE, allowed={"search"}, needs_plan=True) is None
    assert asks.ask_first("search", FINE, allowed={"search"}) is not None


async def test_what_is_wrong_with_a_call_is_said_before_anybody_is_asked() -> None:
    made = tool(requires_approval=True)
    asks = invoker(made)
    for broken in ("null", '{"query": 5', "{}", '{"query": "a", "limit": 99}'):
        assert asks.ask_first("search", broken, allowed={"search"}) is None
        assert "Error: " in (await call(made, broken)).content


async def test_a_tool_whose_own_check_breaks_is_no_fault_of_the_turn() -> None:
    class Breaks(BaseModel):
        query: str

        @field_validator("query")
        @classmethod
        def _look(cls, value: str) -> str:
            known: dict[str, str] = {}
            return known[value]

    made = Scripted(lambda args: "done", Breaks)
    made.requires_approval = True  # type: ignore[attr-defined]
    assert invoker(made).ask_first("search", FINE, allowed={"search"}) is None
    assert "failed inside" in (await call(made, FINE, is_approved=True)).content
    assert wrong_field(Breaks, {"query": "tea"}) == WrongField("", "the tool cannot take them")


def test_what_schemas_say_together_stays_open() -> None:
    one = {"type": "object", "properties": {"a": {"type": "string"}}}
    two = {"type": "object", "properties": {"b": {"type": "string"}}}
    assert closed(one) == {**one, "additionalProperties": False}
    assert closed({"allOf": [one, two]}) == {"allOf": [one, two]}
    assert closed({**one, "anyOf": [two]}) == {**one, "anyOf": [two]}
    chosen = closed({"properties": {"x": {"anyOf": [one, two]}}})
    assert [each["additionalProperties"] for each in chosen["properties"]["x"]["anyOf"]] == [
        False, False,
    ]  # fmt: skip
    free = {"type": "object", "properties": {}, "additionalProperties": True}
    assert closed({"properties": {"properties": free}})["properties"]["properties"] == free


@pytest.mark.parametrize("schema", [{"type": "sort"}, {"pattern": "("}, {"$ref": "#/nowhere"}])
def test_a_schema_that_cannot_be_read_refuses_what_it_cannot_judge(schema: Any) -> None:
    asked = {"properties": {"approved": {"type": "boolean"}, "arguments": schema}}
    assert misfit(asked, {"approved": True}) is None
    assert misfit(asked, {"approved": True, "arguments": "x"}) is not None


def test_the_card_says_what_is_asked_and_closes_what_it_names() -> None:
    made = tool(
        requires_approval=True, side_effect="It is sent.", label={"en": "Search", "zh": "搜索"}
    )
    ask = invoker(made).ask_first("search", FINE, allowed={"search"})
    assert ask is not None
    assert ask.detail == {
        "arguments": {"query": "tea"},
        "label": {"en": "Search", "zh": "搜索"},
        "reason": "The tool has to be allowed each time it is used.",
        "sideEffect": "It is sent.",
    }
    assert ask.response_schema is not None
    arguments = ask.response_schema["properties"]["arguments"]
    assert arguments["additionalProperties"] is False
    assert set(arguments["properties"]) == {"query", "limit", "order"}


async def test_a_tool_is_handed_the_nearest_deadline() -> None:
    left: list[float] = []

    class Looks(Scripted):
        async def run(self, args: Any, ctx: ToolContext) -> Any:
            left.append(ctx.deadline.left_s())
            return ""

    looks = Looks(lambda args: "", Nothing)
    await call(looks, "", seconds=50, options=ToolOptions(timeout_s=7))
    await call(looks, "", seconds=3, options=ToolOptions(timeout_s=7))
    assert 3 < left[0] <= 7
    assert left[1] <= 3


async def test_a_tool_that_is_called_alone_has_no_models() -> None:
    with pytest.raises(ToolFailed, match="No model can be asked here"):
        await context().models.ask("Anything")
