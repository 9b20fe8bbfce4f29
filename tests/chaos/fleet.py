"""Processes of the product that serve one database, each killed and started again at will."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Literal, Self

import httpx

from callsheet.settings.settings import Settings
from tests.fakes.deployment import ROOT, Deployment
from tests.fakes.ports import free_port

Role = Literal["serve", "api", "worker"]
_COMMANDS: dict[Role, Sequence[str]] = {
    "serve": ("serve",),
    "api": ("serve", "--no-worker"),
    "worker": ("worker",),
}
_START_S = 120.0


@dataclass
class Member:
    """One process. `port` stays the same for life, so that clients find it again."""

    role: Role
    port: int
    log: Path
    process: subprocess.Popen[bytes] | None = None
    said_before: int = 0

    @property
    def has_door(self) -> bool:
        return self.role != "worker"

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


@dataclass
class Fleet:
    """`async with`: all members are ready inside, and gone after it."""

    deployment: Deployment
    database_url: str
    roles: Sequence[Role]
    lease_s: float
    members: list[Member] = field(default_factory=list)
    kills: int = 0

    async def __aenter__(self) -> Self:
        for number, role in enumerate(self.roles):
            log = self.deployment.folder / f"{number}-{role}.log"
            self.members.append(Member(role, free_port(), log))
        for member in self.members:
            self.start(member)
        for member in self.members:
            await self.ready(member)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for member in self.members:
            self._signal(member, signal.SIGKILL)
        if error is not None:
            print("\n".join(self.complaints()))

    def complaints(self) -> list[str]:
        """What the processes logged as errors; a fault of ours has its traceback there."""
        return [
            f"{member.log.name}: {line}"
            for member in self.members
            for line in member.log.read_text("utf-8", "replace").splitlines()
            if '"level":"error"' in line or line.startswith(("Traceback", "  File"))
        ][-40:]

    def doors(self) -> list[str]:
        """The addresses of all members that have one, the living and the dead."""
        return [member.url for member in self.members if member.has_door]

    def start(self, member: Member) -> None:
        """Begin the process; it is not ready yet."""
        member.said_before = member.log.stat().st_size if member.log.exists() else 0
        environ = {name: value for name, value in os.environ.items() if "CALLSHEET" not in name}
        environ |= self._environ(member)
        with member.log.open("ab") as log:
            member.process = subprocess.Popen(
                [sys.executable, "-c", "from callsheet.cli.app import main; main()",
                 *_COMMANDS[member.role]],
                cwd=self.deployment.folder, env=environ, stdout=log, stderr=log,
            )  # fmt: skip

    async def kill(self, member: Member) -> None:
        """SIGKILL, as a machine that loses its power would do."""
        self.kills += 1
        self._signal(member, signal.SIGKILL)

    async def ready(self, member: Member) -> None:
        """Return when it takes work: at its door, or as its log says."""
        async with asyncio.timeout(_START_S):
            while not await self._is_ready(member):
                process = member.process
                assert process is None or process.poll() is None, member.log.read_text()[-3000:]
                await asyncio.sleep(0.1)

    async def havoc(self, rng: random.Random, every_s: tuple[float, float]) -> None:
        """Kill one after another and start it again, until cancelled."""
        while True:
            await asyncio.sleep(rng.uniform(*every_s))
            member = rng.choice(self.members)
            await self.kill(member)
            await asyncio.sleep(rng.uniform(0.0, 1.0))
            self.start(member)
            await self.ready(member)

    async def _is_ready(self, member: Member) -> bool:
        if not member.has_door:
            return b'"worker_ready"' in member.log.read_bytes()[member.said_before :]
        try:
            async with httpx.AsyncClient(base_url=member.url, timeout=5) as http:
                return (await http.get("/health/ready")).status_code == 200
        except httpx.HTTPError:
            return False

    def _environ(self, member: Member) -> dict[str, str]:
        settings: Settings = self.deployment.settings(self.database_url)
        keys = {
            f"CALLSHEET_LLM__{name.upper()}__API_KEY": f"key-of-{name}-0123456789"
            for name in ("qwen", "deepseek")
        }
        return {
            "PYTHONPATH": f"{ROOT}/backend:{ROOT}",
            "CALLSHEET_DATA_DIR": str(self.deployment.folder / f"data-{member.port}"),
            "CALLSHEET_CONFIG_DIR": str(settings.config_dir),
            "CALLSHEET_CREWS_DIR": str(settings.crews_dir),
            "CALLSHEET_DATABASE__URL": self.database_url,
            "CALLSHEET_SERVER__PORT": str(member.port),
            "CALLSHEET_WORKER__LEASE_S": str(self.lease_s),
            "CALLSHEET_LOG__LEVEL": "info",
            **keys,
        }

    @staticmethod
    def _signal(member: Member, number: signal.Signals) -> None:
        if member.process is None:
            return
        member.process.send_signal(number)
        if number is signal.SIGKILL:
            member.process.wait()
            member.process = None
