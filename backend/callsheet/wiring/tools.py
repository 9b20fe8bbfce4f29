"""The tools of this deployment."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from callsheet.crew.delegation import ASK, DELEGATE
from callsheet.db.transaction import Database
from callsheet.kit.errors import Unavailable
from callsheet.tools.builtin.catalog import builtin_tools
from callsheet.tools.builtin.ports import BuiltinPorts
from callsheet.tools.invoke import ToolInvoker
from callsheet.tools.options import ToolOptions
from callsheet.tools.registry import ToolRegistry
from callsheet.wiring.outbox import StoredPost
from callsheet.workflows.tools_file import ToolRule


@dataclass(frozen=True, slots=True)
class Tools:
    """All registered tools and the one way to call them."""

    registry: ToolRegistry
    invoker: ToolInvoker


def _nowhere() -> Database:
    raise Unavailable("No database is in use here.", service="database")


def make_registry(database: Callable[[], Database] = _nowhere) -> ToolRegistry:
    """The built-in tools; `database` is where those that store something do it."""
    registry = ToolRegistry()
    ports = BuiltinPorts(post=StoredPost(database))
    registry.add(builtin_tools(ports), owner="callsheet", origin="builtin")
    return registry


def taken_names(registry: ToolRegistry) -> frozenset[str]:
    """What no tool of a client may be called."""
    return registry.names() | {DELEGATE, ASK}


def make_tools(registry: ToolRegistry, rules: Mapping[str, ToolRule]) -> Tools:
    """The tools under the limits that `tools.yaml` gives each of them."""
    per_tool = {
        name: ToolOptions(
            timeout_s=rule.timeout_s,
            max_result_chars=rule.max_result_chars,
            asks_first=rule.policy == "ask",
            answer_within_s=rule.answer_within_s,
        )
        for name, rule in rules.items()
    }
    return Tools(registry, ToolInvoker(registry, ToolOptions(), per_tool))
