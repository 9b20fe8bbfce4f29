"""The tools of a deployment, also where its YAML is broken."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from callsheet.cli.deployment import Deployment
from callsheet.cli.mcp_servers import reached, told
from callsheet.kit.errors import ConfigError, NotFound
from callsheet.kit.yaml_words import closest
from callsheet.tools.listed import ListedTool
from callsheet.tools.registry import ToolRegistry
from callsheet.tools.sandbox.sandbox_file import FILE as SANDBOX
from callsheet.tools.sandbox.sandbox_file import read_sandbox
from callsheet.wiring.mcp import listed_servers
from callsheet.wiring.sandbox import make_sandbox
from callsheet.wiring.tool_list import listed_tools
from callsheet.wiring.tools import make_registry
from callsheet.workflows.check import TOOLS
from callsheet.workflows.tool_rule import ToolRule
from callsheet.workflows.tools_file import read_tools


@dataclass(frozen=True, slots=True)
class Known:
    """All registered tools by name, and what is wrong with others or with `tools.yaml`."""

    tools: Sequence[ListedTool]
    problems: Sequence[str]

    def find(self, name: str) -> ListedTool:
        """The tool of that name; raises NotFound with the one that was probably meant."""
        for tool in self.tools:
            if tool.facts.name == name:
                return tool
        near = closest(name, [tool.facts.name for tool in self.tools])
        hint = f" Did you mean {near!r}?" if near else " `callsheet tools list` shows all."
        raise NotFound(f"There is no tool {name!r}.{hint}")


def known_tools(deployment: Deployment) -> Known:
    """Look for tools as a server would, and hold them against the white list."""
    options, _ = read_sandbox(deployment.folders.config / SANDBOX)
    sandbox = make_sandbox(deployment.settings, options)
    if options.enabled:
        asyncio.run(sandbox.look.look())
    registry = make_registry(deployment.settings, sandbox=sandbox)
    rules, wrong = _rules(deployment, registry)
    standings = reached(deployment, registry)
    problems = [*map(str, registry.problems()), *wrong, *told(deployment, standings)]
    return Known(listed_tools(registry, rules), problems)


def _rules(
    deployment: Deployment, registry: ToolRegistry
) -> tuple[Mapping[str, ToolRule], Sequence[str]]:
    """What `tools.yaml` says, as far as it can be read."""
    own = {name: registry.facts(name).parameters for name in registry.names()}
    known = {**dict.fromkeys(registry.absent()), **own}
    try:
        servers = listed_servers(deployment.settings, deployment.folders).names()
        listed = read_tools(deployment.folders.config / TOOLS, known, servers)
    except ConfigError as error:
        return {}, [str(problem) for problem in error.problems]
    return listed.rules, [str(problem) for problem in listed.problems]
