"""Runs programs through the real `python_executor`; `run(code, timeout)` is for the attacks."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import uuid4

from callsheet.kit.clock import SystemClock
from callsheet.kit.deadline import Deadline
from callsheet.kit.ids import new_id
from callsheet.tools.artifact import Artifact, Read
from callsheet.tools.context import ToolContext
from callsheet.tools.invoke import ToolInvoker, ToolOutcome
from callsheet.tools.options import ToolOptions
from callsheet.tools.policy import Policy
from callsheet.tools.registry import ToolRegistry
from callsheet.tools.sandbox.docker import DockerEngine
from callsheet.tools.sandbox.file_types import FILE_TYPES
from callsheet.tools.sandbox.image.recipe import load_recipe
from callsheet.tools.sandbox.images import GivenImage
from callsheet.tools.sandbox.look import Look
from callsheet.tools.sandbox.options import PoolOptions, SandboxOptions
from callsheet.tools.sandbox.probe import DockerProbe
from callsheet.tools.sandbox.protocol import Images
from callsheet.tools.sandbox.python_executor import PythonExecutor
from callsheet.tools.sandbox.service import ContainerSandbox
from callsheet.tools.tell import Untold


@dataclass
class KeptInMemory:
    """Implements `Artifacts`."""

    files: dict[str, bytes] = field(default_factory=dict)

    async def keep(
        self, ctx: ToolContext, name: str, data: bytes, media_type: str = ""
    ) -> Artifact:
        self.files[name] = data
        return Artifact(new_id(), name, media_type, len(data))

    async def find(self, ctx: ToolContext, reference: str) -> tuple[Artifact, Read] | None:
        if (data := self.files.get(reference)) is None:
            return None

        async def read() -> bytes | None:
            return data

        return Artifact(new_id(), reference, "", len(data)), read


@dataclass
class Heard(Untold):
    """What was told while a tool worked."""

    activities: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    outputs: list[tuple[str, str]] = field(default_factory=list)

    def show(self, activity: str, message_id: Any, content: Any) -> None:
        self.activities.append((activity, dict(content)))

    def output(self, stream: str, text: str) -> None:
        self.outputs.append((stream, text))


OPTIONS = SandboxOptions(suffixes=tuple(FILE_TYPES))


@dataclass
class Bench:
    """A sandbox with its tool, called as an agent calls it."""

    sandbox: ContainerSandbox
    artifacts: KeptInMemory
    invoker: ToolInvoker
    heard: Heard = field(default_factory=Heard)

    async def call(self, code: str, timeout_s: float | None = None, **args: Any) -> ToolOutcome:
        wanted = {"code": code, **args}
        if timeout_s is not None:
            wanted["timeout_s"] = max(1, int(timeout_s))
        ctx = ToolContext(
            user_id=uuid4(),
            session_id=uuid4(),
            run_id=uuid4(),
            tool_call_id="call-1",
            agent="coder",
            deadline=Deadline.after(300),
            clock=SystemClock(),
            tell=self.heard,
        )
        return await self.invoker.invoke(
            "python_executor", json.dumps(wanted), ctx, allowed={"python_executor"}
        )

    async def result(
        self, code: str, timeout_s: float | None = None, **args: Any
    ) -> dict[str, Any]:
        """The tool's own report; AssertionError where the call failed."""
        outcome = await self.call(code, timeout_s, **args)
        assert outcome.status == "ok", outcome.content
        report: dict[str, Any] = json.loads(outcome.content)
        return report

    async def until_warm(self, count: int) -> None:
        while self.sandbox.state().warm < count:
            await asyncio.sleep(0.05)


@asynccontextmanager
async def bench(
    options: SandboxOptions = OPTIONS,
    *,
    images: Images | None = None,
    owner: str = "tests",
    places: int = 8,
) -> AsyncIterator[Bench]:
    """A sandbox on the engine of this machine; the image is the product's unless one is given."""
    found = images or GivenImage(options.image or product_image())
    engine = DockerEngine(
        options, images=found, owner=owner, address=None, most=places + options.pool.size
    )
    sandbox = ContainerSandbox(engine, Look(DockerProbe(None), found), options, places=places)
    artifacts = KeptInMemory()
    registry = ToolRegistry()
    registry.add([PythonExecutor(sandbox, artifacts, options)], owner="callsheet", origin="builtin")
    limits = ToolOptions(timeout_s=180, max_argument_chars=500_000, max_result_chars=1_000_000)
    try:
        async with asyncio.TaskGroup() as group:
            working = group.create_task(sandbox.work())
            yield Bench(sandbox, artifacts, ToolInvoker(registry, Policy(common=limits)))
            working.cancel()
    finally:
        await sandbox.close()


def product_image() -> str:
    """The image that the tests run on."""
    return load_recipe().image


async def run(code: str, timeout: float) -> dict[str, Any]:
    """One program in a sandbox of its own, as the list of attacks calls it."""
    async with bench(replace(OPTIONS, pool=PoolOptions(size=0))) as made:
        outcome = await made.call(code, timeout)
        try:
            report: dict[str, Any] = json.loads(outcome.content)
        except ValueError:  # refused before the tool saw it: too long, say
            return {"status": "rejected", "stdout": "", "stderr": outcome.content}
        return {**report, "truncated": "truncated" in report}
