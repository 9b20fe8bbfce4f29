"""MCP servers in use, without the rest of the product."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from callsheet.kit.deadline import Deadline
from callsheet.tools.invoke import ToolInvoker, ToolOutcome
from callsheet.tools.mcp.server import Endpoint, McpServer, Program
from callsheet.tools.mcp.servers import McpServers, opener
from callsheet.tools.registry import ToolRegistry
from tests.fakes.mcp_process import SERVER, McpLog
from tests.tools.calls import context

HOST = {"PATH": os.environ["PATH"], "HOME": "/nonexistent"}


def stdio(
    name: str,
    log: Path,
    env: Mapping[str, str] | None = None,
    *,
    script: Path = SERVER,
    tools: tuple[str, ...] = ("*",),
    **more: Any,
) -> McpServer:
    """A server that is started here."""
    environ = {"FAKE_LOG": str(log), "FAKE_NAME": name, **(env or {})}
    program = Program(sys.executable, (str(script), "stdio"), environ)
    return McpServer(name, program, tools, **more)


def http(name: str, url: str, *, tools: tuple[str, ...] = ("*",), **more: Any) -> McpServer:
    """A server that listens already."""
    headers = more.pop("headers", {})
    return McpServer(name, Endpoint(url, headers), tools, **more)


@dataclass(frozen=True, slots=True)
class Use:
    """What an agent would have of the servers."""

    mcp: McpServers
    registry: ToolRegistry

    async def ready(self, *tools: str, seconds: float = 30) -> list[str]:
        """The names that there are afterwards and can be used."""
        await self.mcp.ready(tools or self._all(), Deadline.after(seconds))
        return self.offered()

    def offered(self) -> list[str]:
        names = sorted(self.registry.names())
        return [name for name in names if self.registry.unavailable(name) is None]

    async def call(self, name: str, arguments: str = "{}", seconds: float = 30) -> ToolOutcome:
        invoker = ToolInvoker(self.registry)
        return await invoker.invoke(name, arguments, context(seconds), allowed={name})

    def _all(self) -> list[str]:
        return [f"{standing.server}__*" for standing in self.mcp.standings()]


@asynccontextmanager
async def using(*servers: McpServer, registry: ToolRegistry | None = None) -> AsyncIterator[Use]:
    """The servers of a process until the block is left."""
    known = registry or ToolRegistry()
    mcp = McpServers(servers, known, opener(HOST))
    async with asyncio.TaskGroup() as group:
        running = group.create_task(mcp.run())
        await asyncio.sleep(0)
        try:
            yield Use(mcp, known)
        finally:
            running.cancel()


def log_of(tmp_path: Path, name: str = "server") -> McpLog:
    """Where a server of that name writes."""
    return McpLog(tmp_path / f"{name}.jsonl")
