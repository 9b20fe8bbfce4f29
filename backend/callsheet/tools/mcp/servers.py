"""The MCP servers of a process: their connections, and their tools in the registry."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Final

from callsheet.kit.deadline import Deadline
from callsheet.kit.log import get_log
from callsheet.tools.mcp.connection import Connection
from callsheet.tools.mcp.faults import ServerDown
from callsheet.tools.mcp.flat import Unusable
from callsheet.tools.mcp.names import allows, name_of, patterns_of, server_of
from callsheet.tools.mcp.protocol import ListedTool, News, Open, Session
from callsheet.tools.mcp.server import McpServer, Program
from callsheet.tools.mcp.tool import McpTool
from callsheet.tools.registry import ToolRegistry

ORIGIN: Final = "mcp"

log = get_log(__name__)


@dataclass(frozen=True, slots=True)
class Standing:
    """How a server stands. `tools` maps names here to the server's own.

    `left_out` are its tools that cannot be used with why; `missing` are names of the white list
    that it does not have. `down`: why it cannot be reached; None where it was, or nobody tried.
    """

    server: str
    transport: str
    is_open: bool
    down: str | None
    tools: Mapping[str, str]
    left_out: Mapping[str, str]
    missing: tuple[str, ...]


class McpServers:
    """Implements the engine's `ToolSource`: `run` keeps the connections, `ready` opens them."""

    def __init__(
        self,
        servers: Sequence[McpServer],
        registry: ToolRegistry,
        open_of: Callable[[McpServer], Open],
    ) -> None:
        """`registry` holds all other tools already: a name of theirs is no server's."""
        self._taken = registry.names()
        self._served = {
            server.name: _Served(server, registry, open_of(server), self._taken)
            for server in servers
        }

    async def run(self) -> None:
        """Keep the connections until cancelled. Each is opened when somebody needs it."""
        async with asyncio.TaskGroup() as group:
            for served in self._served.values():
                group.create_task(served.connection.run())
            await asyncio.get_running_loop().create_future()

    async def ready(self, tools: Collection[str], deadline: Deadline) -> None:
        """Return once the servers are there that tools of these names belong to, or cannot be.

        A server that is down delays this no longer than its own limit, and not again while it is
        known to be. Whoever comes later finds its tools not available.
        """
        if not self._served:
            return
        names = {server_of(tool.rstrip("*") + "x") for tool in tools if tool not in self._taken}
        needed = [served for name, served in self._served.items() if name in names]
        async with asyncio.TaskGroup() as group:
            for served in needed:
                group.create_task(served.look(deadline))

    async def ready_all(self) -> None:
        """`ready` for every server."""
        async with asyncio.TaskGroup() as group:
            for served in self._served.values():
                group.create_task(served.look(Deadline.after(served.server.connect_timeout_s + 5)))

    def names(self) -> Mapping[str, Sequence[str]]:
        """What the tools of each can be called, as patterns: for those who name them in YAML."""
        return {
            name: tuple(patterns_of(name, served.server.tools))
            for name, served in self._served.items()
        }

    def standings(self) -> Sequence[Standing]:
        """How each of them stands, in the order of the file."""
        return [served.standing() for served in self._served.values()]


class _Served:
    """One server with its connection and what it brought."""

    def __init__(
        self,
        server: McpServer,
        registry: ToolRegistry,
        open_session: Open,
        taken: Collection[str],
    ) -> None:
        self.server = server
        self.connection = Connection(server, open_session, self._heard)
        self._registry = registry
        self._taken = taken
        self._tools: dict[str, str] = {}
        self._left_out: dict[str, str] = {}
        self._missing: tuple[str, ...] = ()

    async def look(self, deadline: Deadline) -> None:
        """Have it connected, or known to be down."""
        try:
            await self.connection.look(deadline.within(self.server.connect_timeout_s + 1))
        except (ServerDown, TimeoutError):
            return  # the connection has said so

    def standing(self) -> Standing:
        """As it is now."""
        return Standing(
            self.server.name,
            "stdio" if isinstance(self.server.reach, Program) else "http",
            self.connection.is_open,
            self.connection.down,
            dict(self._tools),
            dict(self._left_out),
            self._missing,
        )

    def _heard(self, listed: Sequence[ListedTool]) -> None:
        """Bring what the white list takes and what can be used, in the place of what was there."""
        self._left_out, tools = {}, dict[str, McpTool]()
        for each in listed:
            if not allows(self.server.tools, each.name):
                continue
            name = name_of(self.server.name, each.name, self._taken)
            if name in tools:
                self._left_out[each.name] = f"another of its tools is called {name} here"
                continue
            try:
                tools[name] = McpTool(name, each, self.server, self.connection)
            except Unusable as error:
                self._left_out[each.name] = str(error)
        known = {each.name for each in listed}
        self._missing = tuple(
            each for each in self.server.tools if each not in known and not _is_pattern(each)
        )
        self._tools = {name: tool.title for name, tool in tools.items()}
        owner = f"{ORIGIN}:{self.server.name}"
        problems = self._registry.replace(owner, tools.values(), origin="mcp")
        self._say([problem.message for problem in problems])

    def _say(self, problems: Sequence[str]) -> None:
        told = [f"{tool!r} is left out: {why}" for tool, why in self._left_out.items()]
        told += [f"it has no tool {tool!r}, which mcp.yaml lists" for tool in self._missing]
        for detail in (*told, *problems):
            log.warning("mcp_tool", server=self.server.name, detail=detail)


def _is_pattern(name: str) -> bool:
    return any(char in name for char in "*?[")


def opener(environment: Mapping[str, str]) -> Callable[[McpServer], Open]:
    """Opens sessions by the SDK; `environment` is what each program gets that is started."""

    def open_of(server: McpServer) -> Open:
        def opened(news: News) -> AbstractAsyncContextManager[Session]:
            from callsheet.tools.mcp.session import open_session  # noqa: PLC0415 - the SDK: 0.4 s

            return open_session(server, environment, news)

        return opened

    return open_of
