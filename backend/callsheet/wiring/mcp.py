"""The MCP servers of this deployment."""

from __future__ import annotations

from collections.abc import Callable

from callsheet.db.transaction import Database
from callsheet.kit.errors import ConfigError
from callsheet.settings.folders import Folders
from callsheet.settings.host_environment import host_environment
from callsheet.settings.names import mcp_variable
from callsheet.settings.settings import Settings
from callsheet.tools.mcp.file import FILE, Listed, read_servers
from callsheet.tools.mcp.servers import McpServers, opener
from callsheet.tools.registry import ToolRegistry
from callsheet.wiring.kept_artifacts import KeptArtifacts


def listed_servers(settings: Settings, folders: Folders) -> Listed:
    """What can be used of `mcp.yaml`, and its problems."""
    return read_servers(folders.config / FILE, settings.mcp_secret, mcp_variable)


def make_mcp(
    settings: Settings,
    folders: Folders,
    registry: ToolRegistry,
    database: Callable[[], Database] | None = None,
) -> McpServers:
    """The servers; none of them is reached yet. `registry` has all other tools already.

    Raises:
        ConfigError: every problem of the file.
    """
    listed = listed_servers(settings, folders)
    if listed.problems:
        raise ConfigError(listed.problems)
    artifacts = None if database is None else KeptArtifacts.of(settings, database)
    return McpServers(listed.servers, registry, opener(host_environment()), artifacts)
