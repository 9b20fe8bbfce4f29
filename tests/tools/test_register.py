"""Tools from Python, for programs that start the product themselves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import BaseModel

from callsheet.kit.errors import SetupError
from callsheet.settings.settings import Settings
from callsheet.tools.function import FunctionTool
from callsheet.tools.register import register_tool
from callsheet.tools.registered import forget, registered
from callsheet.wiring.tools import make_registry
from tests.fakes.plugin import Install


class Args(BaseModel):
    pass


class Red:
    """A tool."""

    name = "red"
    description = "Red."
    Args = Args

    async def run(self, args: Any, ctx: Any) -> str:
        return "red"


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    before = registered()
    yield
    forget(before)


def names() -> list[str]:
    return [each.tool.name for each in registered()]


def test_a_decorated_function_stays_what_it_is() -> None:
    @register_tool
    def add(a: int, b: int) -> int:
        """Add."""
        return a + b

    assert add(1, 2) == 3
    assert [(each.owner, each.tool.name) for each in registered()] == [(__name__, "add")]


def test_a_decorator_takes_what_a_signature_cannot_say() -> None:
    @register_tool(name="plus", group="sums", label={"zh": "加"})
    def add(a: int, b: int) -> int:
        """Add."""
        return a + b

    tool = registered()[0].tool
    assert isinstance(tool, FunctionTool)
    assert (tool.name, tool.group, tool.label) == ("plus", "sums", {"zh": "加"})


def test_classes_and_objects_are_registered_too() -> None:
    assert register_tool(Red) is Red
    blue = Red()
    blue.name = "blue"
    assert register_tool(blue) is blue
    assert names() == ["red", "blue"]


def test_the_same_thing_twice_is_one_tool() -> None:
    register_tool(Red)
    register_tool(Red)
    assert names() == ["red"]


def test_what_is_no_tool_is_refused_where_it_is_written() -> None:
    with pytest.raises(SetupError, match="is no tool"):
        register_tool(Args)
    with pytest.raises(SetupError, match="by its own attributes"):
        register_tool(Red, group="colours")
    with pytest.raises(SetupError, match="has no docstring"):
        register_tool(lambda: None)
    assert names() == []


def test_every_registry_that_is_made_afterwards_has_it() -> None:
    before = make_registry(Settings())
    register_tool(Red)
    after = make_registry(Settings())
    assert before.find("red") is None
    assert after.find("red") is not None
    facts = after.facts("red")
    assert (facts.owner, facts.origin) == (__name__, "python")


def test_a_package_may_offer_what_it_registers(install: Install) -> None:
    """With the traits that it was registered with, and once."""
    source = """
    from callsheet.tools.register import register_tool

    @register_tool(group="sums")
    def add(a: int) -> int:
        "Add."
        return a
    """
    install("acme-tools", source, add="add")
    registry = make_registry(Settings())
    assert registry.problems() == ()
    facts = registry.facts("add")
    assert (facts.owner, facts.origin, facts.group) == ("acme-tools", "plugin", "sums")
