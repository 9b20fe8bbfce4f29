"""The tools of this deployment."""

from __future__ import annotations

from dataclasses import dataclass

from callsheet.tools.builtin.catalog import builtin_tools
from callsheet.tools.invoke import ToolInvoker
from callsheet.tools.options import ToolOptions
from callsheet.tools.registry import ToolRegistry


@dataclass(frozen=True, slots=True)
class Tools:
    """All registered tools and the one way to call them."""

    registry: ToolRegistry
    invoker: ToolInvoker


def make_tools() -> Tools:
    """The built-in tools under their limits."""
    registry = ToolRegistry()
    registry.add(builtin_tools(), owner="callsheet")
    return Tools(registry, ToolInvoker(registry, ToolOptions()))
