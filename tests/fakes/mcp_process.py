"""The fake MCP server as a process that tests start, kill and start again."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import httpx
import psutil

from tests.fakes.ports import free_port

SERVER: Final = Path(__file__).with_name("mcp_server.py")
RAW: Final = Path(__file__).with_name("mcp_raw.py")
_WITHIN_S: Final = 30.0


class McpLog:
    """What a server was asked, as it wrote it down."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def lines(self) -> list[dict[str, Any]]:
        if not self.path.exists():
            return []
        return [json.loads(line) for line in self.path.read_text("utf-8").splitlines() if line]

    def asked(self, tool: str) -> list[dict[str, Any]]:
        return [line for line in self.lines() if line.get("asked") == tool]

    def pids(self) -> list[int]:
        return [line["pid"] for line in self.lines() if "started" in line]

    async def until(self, is_so: Callable[[list[dict[str, Any]]], object]) -> None:
        """Wait until what is written says so."""
        await until(lambda: is_so(self.lines()))


async def until(is_so: Callable[[], object]) -> None:
    end = time.monotonic() + _WITHIN_S
    while not is_so():
        assert time.monotonic() < end, "it never came to be"
        await asyncio.sleep(0.02)


def is_alive(pid: int) -> bool:
    """Whether the process is there and no zombie."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


class HttpMcpServer:
    """One that listens on a port of its own, also after it was killed and started again."""

    def __init__(
        self, log: Path, env: Mapping[str, str] | None = None, script: Path = SERVER
    ) -> None:
        self.port = free_port()
        self.log = McpLog(log)
        self._script = script
        self._env = {
            "PATH": os.environ["PATH"], "FAKE_LOG": str(log), **(env or {})
        }  # fmt: skip
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/mcp/"

    def start(self) -> None:
        command = [sys.executable, str(self._script), "http", str(self.port)]
        self._process = subprocess.Popen(command, env=self._env, stderr=subprocess.DEVNULL)
        end = time.monotonic() + _WITHIN_S
        while True:
            try:
                httpx.get(f"http://127.0.0.1:{self.port}/nothing", timeout=5, trust_env=False)
            except httpx.TransportError:
                assert time.monotonic() < end, "the MCP server did not start"
                time.sleep(0.05)
            else:
                return

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.kill()
