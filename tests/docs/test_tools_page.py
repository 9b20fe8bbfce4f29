"""The tools that docs/tools.md shows are tools."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from callsheet.settings.names import variables
from callsheet.tools.facts import ToolFacts
from callsheet.tools.offered import tools_in
from callsheet.tools.registered import forget, registered
from callsheet.tools.registry import ToolRegistry
from callsheet.tools.tool import Tool
from callsheet.tools.traits import Traits
from tests.docs.pages import blocks, text_of
from tests.fixtures.plugin import EXAMPLE

PAGE = text_of("docs/tools.md")


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    before = registered()
    yield
    forget(before)


def made_by(block: str, name: str) -> ToolFacts:
    """What the page's code offers under a name, as a registry takes it in."""
    space: dict[str, Any] = {"__name__": "page"}
    exec(compile(block, "docs/tools.md", "exec"), space)
    tools = [each for each in tools_in(space[name]) if isinstance(each, Tool)]
    registry = ToolRegistry()
    assert registry.add(tools, owner="page") == []
    (only,) = registry.names()
    return registry.facts(only)


def test_every_tool_on_the_page_can_be_offered() -> None:
    stock, days, with_traits, reserve = blocks(PAGE, "python")
    assert made_by(stock, "Stock").parameters["required"] == ["article"]
    assert set(made_by(days, "delivery_days").parameters["properties"]) == {"country", "express"}
    assert made_by(with_traits, "delivery_days").group == "warehouse"
    assert made_by(reserve, "reserve").requires_approval
    assert [(each.owner, each.tool.name) for each in registered()] == [("page", "reserve")]


def test_the_page_names_every_attribute_and_every_setting() -> None:
    for trait in set(Traits.__annotations__) - {"name", "description"}:
        assert f"| `{trait}` |" in PAGE
    for variable in variables():
        if variable.name.startswith("CALLSHEET_TOOLS__"):
            assert f"| `{variable.name}` | `{str(variable.default).lower()}` |" in PAGE


def test_the_page_shows_the_entry_points_of_the_example() -> None:
    (shown,) = blocks(PAGE, "toml")
    assert shown in (EXAMPLE / "pyproject.toml").read_text("utf-8")
