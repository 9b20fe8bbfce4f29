"""The tools of this deployment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from callsheet.tools.builtin.catalog import builtin_tools
from callsheet.tools.invoke import ToolInvoker
from callsheet.tools.options import ToolOptions
from callsheet.tools.registry import ToolRegistry
from callsheet.workflows.tools_file import ToolRule


@dataclass(frozen=True, slots=True)
class Tools:
    """All registered tools and the one way to call them."""

    registry: ToolRegistry
    invoker: ToolInvoker


def make_registry() -> ToolRegistry:
    """The built-in tools."""
    registry = ToolRegistry()
    registry.add(builtin_tools(), owner="callsheet")
    return registry


def make_tools(registry: ToolRegistry, rules: Mapping[str, ToolRule]) -> Tools:
    """The tools under the limits that `tools.yaml` gives each of them."""
    per_tool = {
        name: ToolOptions(timeout_s=rule.timeout_s, max_result_chars=rule.max_result_chars)
        for name, rule in rules.items()
    }
    return Tools(registry, ToolInvoker(registry, ToolOptions(), per_tool))
