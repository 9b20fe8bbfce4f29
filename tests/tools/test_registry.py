from __future__ import annotations

from typing import Any, Literal

import pytest
from pydantic import BaseModel, Field

from callsheet.kit.errors import SetupError
from callsheet.tools.builtin.catalog import builtin_tools
from callsheet.tools.builtin.ports import BuiltinPorts
from callsheet.tools.registry import ToolRegistry
from callsheet.tools.tool import Tool
from tests.fakes.post import NoPost


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
        self.name = name
        self.Args = args

    async def run(self, args: Any, ctx: Any) -> Any:
        return None


def test_two_owners_of_one_name_are_both_named() -> None:
    registry = ToolRegistry()
    registry.add([Named("search")], owner="built-in")
    with pytest.raises(SetupError, match=r"'search' is brought by both built-in and my-plugin"):
        registry.add([Named("search")], owner="my-plugin")


@pytest.mark.parametrize("name", ["", "two words", "a.b", "x" * 65, "搜索", "a\n"])
def test_names_that_providers_refuse_are_refused_here(name: str) -> None:
    with pytest.raises(SetupError, match="1 to 64 letters"):
        ToolRegistry().add([Named(name)], owner="tests")


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

    with pytest.raises(SetupError, match="contain themselves"):
        ToolRegistry().add([Named("tree", Node)], owner="tests")


def test_a_tool_without_arguments_still_has_an_object() -> None:
    class Nothing(BaseModel):
        pass

    registry = ToolRegistry()
    registry.add([Named("go", Nothing)], owner="tests")
    parameters = registry.schemas(["go"])[0]["function"]["parameters"]
    assert parameters == {"type": "object", "properties": {}}


def test_the_built_in_tools_are_tools() -> None:
    registry = ToolRegistry()
    registry.add(builtin_tools(BuiltinPorts(post=NoPost())), owner="built-in")
    assert registry.names() == {"calculator", "current_time", "ask_user", "send_mail"}
    assert all(isinstance(tool, Tool) for tool in builtin_tools(BuiltinPorts(post=NoPost())))
    assert registry.find("calculator") is not None
    assert registry.find("nothing") is None
