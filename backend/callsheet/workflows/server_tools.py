"""Tools of MCP servers, by the names that YAML gives them.

Which tools a server has is known only once it is reached; what may be named of it is known before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Final

from callsheet.kit.yaml_words import closest

SEPARATOR: Final = "__"
ALL: Final = "*"

Servers = Mapping[str, Sequence[str]]
"""What the tools of each server of `mcp.yaml` can be called, as patterns."""


def is_servers(tool: str, servers: Servers) -> bool:
    """Whether the name may be one of theirs: the server is there, and its white list takes it."""
    server, separator, rest = tool.partition(SEPARATOR)
    if not separator or server not in servers:
        return False
    return rest == ALL or any(fnmatchcase(tool, pattern) for pattern in servers[server])


def why_not(tool: str, servers: Servers) -> tuple[str, str | None] | None:
    """What is wrong with a name that `is_servers` does not take, and what may have been meant.

    None where it does not look like a server's.
    """
    server, separator, rest = tool.partition(SEPARATOR)
    if not separator:
        return None
    if server not in servers:
        near = closest(server, servers)
        meant = None if near is None else f"{near}{SEPARATOR}{rest}"
        return f"there is no tool {tool!r}, and mcp.yaml has no server {server!r}", meant
    if ALL in rest:
        return f"{tool!r} is no name: one tool, or all of a server", f"{server}{SEPARATOR}{ALL}"
    exact = [each for each in servers[server] if not any(char in each for char in "*?[")]
    message = f"the server {server!r} of mcp.yaml has no {rest!r} among the tools that it lists"
    return message, closest(tool, exact)
