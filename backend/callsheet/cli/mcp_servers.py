"""The MCP servers of a deployment, each reached once."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import Final

from callsheet.cli.console import ERR
from callsheet.cli.deployment import Deployment
from callsheet.cli.finding import Finding
from callsheet.kit.deadline import Deadline
from callsheet.kit.errors import ConfigError
from callsheet.settings.host_environment import host_environment
from callsheet.tools.mcp.servers import McpServers, opener
from callsheet.tools.mcp.standing import Standing, tools_in_vain
from callsheet.tools.registry import ToolRegistry
from callsheet.wiring.mcp import listed_servers
from callsheet.wiring.tool_list import tools_of
from callsheet.workflows.draft import Known
from callsheet.workflows.folder import folders
from callsheet.workflows.loader import load_workflow

_LONGEST_S: Final = 300.0
_MEND: Final = "See config/mcp.yaml and docs/mcp.md; the log of a server says more."


def reached(deployment: Deployment, registry: ToolRegistry) -> Sequence[Standing]:
    """How each server stands; its tools are in the registry then. Each has its own time to answer.

    Servers whose entries are wrong are not among them: `callsheet check` says what is.
    """
    listed = listed_servers(deployment.settings, deployment.folders)
    if not listed.servers:
        return ()
    servers = McpServers(listed.servers, registry, opener(host_environment()))
    with ERR.status("reaching the MCP servers"):
        return asyncio.run(servers.looked_at(Deadline.after(_LONGEST_S)))


def told(deployment: Deployment, standings: Sequence[Standing]) -> Iterator[str]:
    """What is not as the deployment wants it, one line each."""
    named = _named(deployment)
    for standing in standings:
        for detail in (*standing.told(), *_vain(named, standing)):
            yield f"The MCP server {standing.server!r}: {detail}."


def findings(deployment: Deployment, registry: ToolRegistry) -> list[Finding]:
    """One line for each server."""
    named, found = _named(deployment), list[Finding]()
    for standing in reached(deployment, registry):
        wrong = [*standing.told(), *_vain(named, standing)]
        count = len(standing.tools)
        detail = f"{standing.transport}, {count} {'tool' if count == 1 else 'tools'}"
        if wrong:
            mend = "\n    ".join([*wrong, _MEND])
            found.append(Finding(f"MCP {standing.server}", "warning", detail, mend))
        else:
            found.append(Finding(f"MCP {standing.server}", "ok", detail))
    return found


def _named(deployment: Deployment) -> frozenset[str]:
    """Every tool that some agent names, in workflows that can be read."""
    names: set[str] = set()
    for folder in folders(deployment.folders.crews):
        try:
            names |= tools_of(load_workflow(folder, Known()))
        except ConfigError:
            continue
    return frozenset(names)


def _vain(named: frozenset[str], standing: Standing) -> Iterator[str]:
    return (f"it has no {name!r}, which an agent names" for name in tools_in_vain(named, standing))
