"""The tools of this deployment."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from callsheet.crew.delegation import ASK, DELEGATE
from callsheet.db.transaction import Database
from callsheet.kit.errors import SetupError, Unavailable
from callsheet.kit.log import get_log
from callsheet.settings.folders import folders_of
from callsheet.settings.settings import Settings
from callsheet.tools.builtin.catalog import builtin_tools
from callsheet.tools.builtin.ports import BuiltinPorts
from callsheet.tools.invoke import ToolInvoker
from callsheet.tools.plugins import load_plugins
from callsheet.tools.policy import Policy
from callsheet.tools.problem import ToolProblem
from callsheet.tools.registered import registered
from callsheet.tools.registry import ToolRegistry
from callsheet.tools.sandbox.options import SandboxOptions
from callsheet.tools.sandbox.sandbox_file import FILE, read_sandbox
from callsheet.wiring.kept_artifacts import KeptArtifacts
from callsheet.wiring.kept_todos import KeptTodos
from callsheet.wiring.outbox import StoredPost
from callsheet.wiring.sandbox import SandboxPart, make_sandbox
from callsheet.wiring.web import make_engine, make_fetcher
from callsheet.workflows.tool_rule import ToolRule

_log = get_log(__name__)

OWN: Final = "callsheet"


@dataclass(frozen=True, slots=True)
class Tools:
    """All registered tools and the one way to call them."""

    registry: ToolRegistry
    invoker: ToolInvoker


def _nowhere() -> Database:
    raise Unavailable("No database is in use here.", service="database")


def make_registry(
    settings: Settings,
    database: Callable[[], Database] = _nowhere,
    sandbox: SandboxPart | None = None,
) -> ToolRegistry:
    """The tools that the settings let in: built-in ones, those of plugins, those from Python.

    In this order, so that no plugin takes the name of a built-in tool. What is wrong with them is
    in the registry's problems; `settle` says what comes of that. `database` is where tools that
    store something do it; `sandbox` None: one of what is valid in `sandbox.yaml`.
    """
    registry, wanted = ToolRegistry(), settings.tools
    if wanted.builtins:
        sandbox = sandbox or make_sandbox(settings, _valid_options(settings))
        ports = BuiltinPorts(
            post=StoredPost(database),
            artifacts=KeptArtifacts.of(settings, database),
            search=make_engine(settings.web),
            fetcher=make_fetcher(settings.web),
            sandbox=sandbox.sandbox,
            sandbox_options=sandbox.options,
            lists=KeptTodos(database),
        )
        registry.add(builtin_tools(ports), owner=OWN, origin="builtin")
    if wanted.plugins:
        for plugin in load_plugins(wanted.plugin_group):
            registry.add(plugin.tools, owner=plugin.owner, origin="plugin")
            for problem in plugin.problems:
                # Its name is the tool's own where its author has kept to the advice.
                registry.report(ToolProblem(plugin.owner, problem, plugin.name))
    for each in registered():
        if registry.find(each.tool.name) is not each.tool:  # a package may offer it too
            registry.add([each.tool], owner=each.owner, origin="python")
    return registry


def _valid_options(settings: Settings) -> SandboxOptions:
    return read_sandbox(folders_of(settings).config / FILE)[0]


def settle(problems: Sequence[ToolProblem], *, fail_fast: bool) -> None:
    """Log what is wrong with tools, one line each, and go on without these.

    Raises:
        SetupError: all of it, where the deployment would rather not start.
    """
    if problems and fail_fast:
        raise SetupError("\n".join(problem.message for problem in problems))
    for problem in problems:
        _log.warning("tool_left_out", owner=problem.owner, tool=problem.tool, why=problem.message)


def taken_names(registry: ToolRegistry) -> frozenset[str]:
    """What no tool of a client may be called."""
    return registry.names() | {DELEGATE, ASK}


def make_tools(registry: ToolRegistry, rules: Mapping[str, ToolRule]) -> Tools:
    """The tools under the policy and the limits that `tools.yaml` gives each of them."""
    return Tools(registry, ToolInvoker(registry, Policy(rules.values())))
