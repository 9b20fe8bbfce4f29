"""One MCP server as `mcp.yaml` describes it, with its secrets filled in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Program:
    """A server that is started here and spoken to through its standard input and output.

    `command` is looked for on the PATH. `env` is all that it gets beside PATH and HOME; it may hold
    secrets, and so may `args`: none of it is shown.
    """

    command: str
    args: tuple[str, ...] = field(default=(), repr=False)
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    cwd: str | None = None


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A server that is reached by streamable HTTP. Address and headers may hold secrets."""

    url: str = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class McpServer:
    """`tools` are names or patterns of the server's own tools; no other one is taken.

    `trusts_read_only`: a tool that the server calls read-only counts as one without side effects.
    `secrets` are the values that were filled in; nothing that the server says may repeat them.
    """

    name: str
    reach: Program | Endpoint
    tools: tuple[str, ...]
    connect_timeout_s: float = 20.0
    call_timeout_s: float = 60.0
    trusts_read_only: bool = False
    secrets: tuple[str, ...] = field(default=(), repr=False)
