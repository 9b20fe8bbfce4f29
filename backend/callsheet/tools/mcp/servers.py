"""The MCP servers of a process: their connections, and their tools in the registry."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Final

from callsheet.kit.deadline import Deadline
from callsheet.kit.log import get_log
from callsheet.tools.artifact import Artifacts
from callsheet.tools.mcp.connection import Connection
from callsheet.tools.mcp.faults import ServerDown
from callsheet.tools.mcp.flat import Unusable
from callsheet.tools.mcp.names import SEPARATOR, allows, name_of, patterns_of, server_of
from callsheet.tools.mcp.protocol import ListedTool, News, Open, Session
from callsheet.tools.mcp.server import McpServer, Program
from callsheet.tools.mcp.standing import Standing, tools_in_vain
from callsheet.tools.mcp.tool import McpTool
from callsheet.tools.registry import ToolRegistry

ORIGIN: Final = "mcp"
_SESSION: Final = "callsheet.tools.mcp.session"

log = get_log(__name__)


class McpServers:
    """Implements the engine's `ToolSource`: `run` keeps the connections, `ready` opens them."""

    def __init__(
        self,
        servers: Sequence[McpServer],
        registry: ToolRegistry,
        open_of: Callable[[McpServer], Open],
        artifacts: Artifacts | None = None,
    ) -> None:
        """`registry` holds all other tools already: a name of theirs is no server's."""
        self._taken = registry.names()
        self._served = {
            server.name: _Served(server, registry, open_of(server), self._taken, artifacts)
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
        for served in needed:
            served.miss(tools)

    async def ready_all(self, deadline: Deadline) -> None:
        """`ready` for every server."""
        await self.ready([f"{name}{SEPARATOR}*" for name in self._served], deadline)

    async def looked_at(self, deadline: Deadline) -> Sequence[Standing]:
        """How each of them stands, for whoever does not run them: reached once, and left."""
        async with asyncio.TaskGroup() as group:
            running = group.create_task(self.run())
            await asyncio.sleep(0)  # until they take wishes
            await self.ready_all(deadline)
            standings = self.standings()
            running.cancel()
        return standings

    def may_have(self, tool: str) -> bool:
        """Whether a tool of this name would be one of theirs."""
        return tool not in self._taken and server_of(tool) in self._served

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
        artifacts: Artifacts | None,
    ) -> None:
        self.server = server
        self._artifacts = artifacts
        self.connection = Connection(server, open_session, self._heard)
        self._registry = registry
        self._taken = taken
        self._tools: dict[str, str] = {}
        self._left_out: dict[str, str] = {}
        self._missing: tuple[str, ...] = ()
        self._missed: set[str] = set()

    async def look(self, deadline: Deadline) -> None:
        """Have it connected, or known to be down."""
        try:
            await self.connection.look(deadline.within(self.server.connect_timeout_s + 1))
        except (ServerDown, TimeoutError):
            return  # the connection has said so

    def miss(self, tools: Collection[str]) -> None:
        """Say once of each name that no tool of the server has it."""
        if not self.connection.is_open:
            return
        for name in set(tools_in_vain(tools, self.standing())) - self._missed:
            self._missed.add(name)
            log.warning("mcp_tool", server=self.server.name, detail=f"there is no tool {name!r}")

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

    async def _heard(self, listed: Sequence[ListedTool]) -> None:
        """Bring them in the place of what was there; schemas of strangers are read in a thread.

        What there is changes on the loop alone, between two steps of whoever works there.
        """
        tools, self._left_out = await asyncio.to_thread(self._made, listed)
        known = {each.name for each in listed}
        self._missing = tuple(
            each for each in self.server.tools if each not in known and not _is_pattern(each)
        )
        self._tools = {name: tool.own_name for name, tool in tools.items()}
        owner = f"{ORIGIN}:{self.server.name}"
        problems = self._registry.replace(owner, tools.values(), origin="mcp")
        self._say([problem.message for problem in problems])

    def _made(self, listed: Sequence[ListedTool]) -> tuple[dict[str, McpTool], dict[str, str]]:
        """What the white list takes and what can be used, and why the rest cannot."""
        tools, left_out = dict[str, McpTool](), dict[str, str]()
        for each in listed:
            if not allows(self.server.tools, each.name):
                continue
            name = name_of(self.server.name, each.name, self._taken)
            if name in tools:
                left_out[each.name] = f"another of its tools is called {name} here"
                continue
            try:
                tools[name] = McpTool(name, each, self.server, self.connection, self._artifacts)
            except Unusable as error:
                left_out[each.name] = str(error)
        return tools, left_out

    def _say(self, problems: Sequence[str]) -> None:
        for detail in (*self.standing().told(), *problems):
            log.warning("mcp_tool", server=self.server.name, detail=detail)


def _is_pattern(name: str) -> bool:
    return any(char in name for char in "*?[")


def opener(environment: Mapping[str, str]) -> Callable[[McpServer], Open]:
    """Opens sessions by the SDK; `environment` is what each program gets that is started."""

    def open_of(server: McpServer) -> Open:
        @asynccontextmanager
        async def opened(news: News) -> AsyncIterator[Session]:
            # The SDK takes 0.3 s to import, and 29 MiB: in a thread, and not before it is needed.
            sdk = await asyncio.to_thread(importlib.import_module, _SESSION)
            async with sdk.open_session(server, environment, news) as session:
                yield session

        return opened

    return open_of
