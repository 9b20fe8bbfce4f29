from __future__ import annotations

import threading
from typing import Any, Literal

import pytest
from pydantic import BaseModel, Field

from callsheet.tools.builtin.catalog import builtin_tools
from callsheet.tools.problem import ToolProblem
from callsheet.tools.registry import ToolRegistry
from callsheet.tools.tool import Tool
from tests.fakes.builtins import no_ports


class Place(BaseModel):
    title: str = Field(description="A property that is called title.")
    country: Literal["de", "cn"] | None = None


class Args(BaseModel):
    """Not for the model."""

    place: Place
    others: list[Place] = Field(default=[], description="More of them.")
    at: str | int | None = None


class Named:
    description = "Does things."

    def __init__(self, name: str, args: type[BaseModel] = Args) -> None:
        self.name: Any = name
        self.Args: Any = args

    async def run(self, args: Any, ctx: Any) -> Any:
        return None


def problem_of(tool: Any) -> str:
    """Why it is left out, while another one beside it is not."""
    registry = ToolRegistry()
    (problem,) = registry.add([tool, Named("other")], owner="my-plugin")
    assert registry.problems() == (problem,)
    assert problem.owner == "my-plugin"
    assert registry.names() == {"other"}
    return problem.message


def test_of_two_with_one_name_the_first_is_used_and_both_owners_are_named() -> None:
    registry, first = ToolRegistry(), Named("search")
    assert registry.add([first], owner="built-in") == []
    (problem,) = registry.add([Named("search"), Named("other")], owner="my-plugin")
    assert "'search' is brought by both built-in and my-plugin" in problem.message
    assert (problem.owner, problem.tool) == ("my-plugin", "search")
    assert registry.find("search") is first
    assert registry.facts("search").owner == "built-in"
    assert registry.names() == {"search", "other"}
    assert registry.absent() == {}


def test_one_owner_with_a_name_twice_is_told_so() -> None:
    registry = ToolRegistry()
    (problem,) = registry.add([Named("search"), Named("search")], owner="my-plugin")
    assert "by my-plugin twice" in problem.message


@pytest.mark.parametrize("name", ["", "two words", "a.b", "x" * 65, "搜索", "a\n", None, 7])
def test_names_that_providers_refuse_are_refused_here(name: Any) -> None:
    assert "1 to 64 letters" in problem_of(Named(name))


class Blocking(Named):
    def run(self, args: Any, ctx: Any) -> Any:
        return None


class Unreadable(Named):
    @property
    def description(self) -> str:  # type: ignore[override]
        raise OSError("away")


def changed(**attributes: Any) -> Any:
    tool = Named("search")
    for name, value in attributes.items():
        setattr(tool, name, value)
    return tool


class NotJson(BaseModel, arbitrary_types_allowed=True):
    when: threading.Thread


@pytest.mark.parametrize(
    ("tool", "why"),
    [
        (changed(description=""), "'search' of my-plugin cannot be used: it has no description"),
        (changed(Args=dict), "its Args is no Pydantic model"),
        (changed(Args=Args(place=Place(title="x"))), "its Args is no Pydantic model"),
        (changed(Args=NotJson), "arguments of tool 'search' cannot be JSON"),
        (Blocking("search"), "its run is not `async def`"),
        (Unreadable("search"), "cannot be read: OSError: away"),
        (changed(group=3), "its group is no text"),
        (changed(summary=None), "its summary is no text"),
        (changed(side_effect=True), "its side_effect is no text"),
        (changed(idempotent="yes"), "its idempotent is neither True nor False"),
        (changed(timeout_s="soon"), "its timeout_s is no number of seconds"),
        (changed(timeout_s=0), "its timeout_s is no number of seconds"),
        (changed(label="Search"), "its label is no mapping"),
        (changed(label={"en": 1}), "its label is no mapping"),
    ],
)
def test_what_cannot_be_offered_is_left_out_and_told(tool: Any, why: str) -> None:
    assert why in problem_of(tool)


def test_what_a_tool_says_of_itself_is_kept_and_the_rest_is_the_default() -> None:
    registry = ToolRegistry()
    said = changed(group="web", label={"en": "Search"}, side_effect="Asks.", instructions=None)
    registry.add([said], owner="my-plugin", origin="plugin")
    facts = registry.facts("search")
    assert (facts.owner, facts.origin, facts.group) == ("my-plugin", "plugin", "web")
    assert (facts.label, facts.side_effect) == ({"en": "Search"}, "Asks.")
    assert (facts.idempotent, facts.requires_approval, facts.summary) == (False, False, "")


def test_one_owner_can_bring_other_tools_later_and_keeps_its_place() -> None:
    registry = ToolRegistry()
    registry.add([Named("a"), Named("b")], owner="server", origin="mcp")
    registry.add([Named("c")], owner="other")
    assert registry.replace("server", [Named("b"), Named("d")]) == []
    assert registry.names() == {"b", "c", "d"}
    (taken,) = registry.replace("server", [Named("c")])
    assert "both server and other" in taken.message
    assert registry.names() == {"c"}
    assert registry.facts("c").origin == "mcp"
    assert registry.replace("server", []) == []
    assert registry.names() == {"c"}
    assert registry.facts("c").owner == "other"
    assert registry.problems() == ()


def test_a_replacement_is_seen_whole_or_not_at_all() -> None:
    registry = ToolRegistry()
    sets = [frozenset({"a", "b"}), frozenset({"c", "d"})]
    registry.replace("server", [Named(name) for name in sets[0]])
    seen: set[frozenset[str]] = set()
    done = threading.Event()

    def look() -> None:
        while not done.is_set():
            seen.add(registry.names())

    reader = threading.Thread(target=look)
    reader.start()
    for index in range(200):
        registry.replace("server", [Named(name) for name in sorted(sets[index % 2])])
    done.set()
    reader.join()
    assert seen <= set(sets)


def test_who_could_not_bring_a_tool_is_told_until_it_brings_others() -> None:
    registry = ToolRegistry()
    registry.report(ToolProblem("server", "The server does not answer.", "search"))
    assert registry.absent() == {"search": "The server does not answer."}
    assert registry.unavailable("search") == "The server does not answer."
    registry.replace("server", [Named("search")])
    assert (registry.absent(), registry.problems()) == ({}, ())
    assert registry.unavailable("search") is None


def test_a_tool_that_cannot_say_whether_it_can_be_used_is_not_used() -> None:
    def broken() -> str | None:
        raise OSError("away")

    registry = ToolRegistry()
    registry.add([changed(unavailable=broken)], owner="my-plugin")
    assert registry.unavailable("search") == "it does not say whether it can be used now"
    assert registry.unavailable("other") == "there is no such tool"


def test_the_schema_is_flat_and_says_only_what_a_model_needs() -> None:
    registry = ToolRegistry()
    registry.add([Named("go")], owner="tests")
    place = {
        "type": "object",
        "properties": {
            "title": {"type": "string", "description": "A property that is called title."},
            "country": {"type": "string", "enum": ["de", "cn"]},
        },
        "required": ["title"],
    }
    assert registry.schemas(["go"]) == (
        {
            "type": "function",
            "function": {
                "name": "go",
                "description": "Does things.",
                "parameters": {
                    "type": "object",
                    "properties": {
                        "place": place,
                        "others": {
                            "type": "array",
                            "items": place,
                            "default": [],
                            "description": "More of them.",
                        },
                        "at": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
                    },
                    "required": ["place"],
                },
            },
        },
    )


def test_arguments_that_contain_themselves_are_refused_at_start() -> None:
    class Node(BaseModel):
        child: Node | None = None

    assert "contain themselves: Node" in problem_of(Named("tree", Node))


def test_a_tool_without_arguments_still_has_an_object() -> None:
    class Nothing(BaseModel):
        pass

    registry = ToolRegistry()
    registry.add([Named("go", Nothing)], owner="tests")
    parameters = registry.schemas(["go"])[0]["function"]["parameters"]
    assert parameters == {"type": "object", "properties": {}}


def test_the_built_in_tools_are_tools() -> None:
    registry = ToolRegistry()
    assert registry.add(builtin_tools(no_ports()), owner="built-in") == []
    assert {"calculator", "ask_user", "request_plan_approval", "send_mail"} <= registry.names()
    assert all(isinstance(tool, Tool) for tool in builtin_tools(no_ports()))
    assert registry.find("calculator") is not None
    assert registry.find("nothing") is None
