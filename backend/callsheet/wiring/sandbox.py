"""The sandbox of a process: its engine, its image, and what goes on for it beside the turns."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from typing import Final

from callsheet.runs.worker_locks import WorkerKind
from callsheet.settings.folders import folders_of
from callsheet.settings.settings import Settings
from callsheet.tools.sandbox.docker import DockerEngine
from callsheet.tools.sandbox.images import GivenImage, ShippedImage
from callsheet.tools.sandbox.look import Look
from callsheet.tools.sandbox.options import SandboxOptions
from callsheet.tools.sandbox.probe import DockerProbe
from callsheet.tools.sandbox.python_executor import PythonExecutor
from callsheet.tools.sandbox.sandbox_file import FILE, load_sandbox
from callsheet.tools.sandbox.service import ContainerSandbox
from callsheet.wiring.core import process_name

_LOOK_FOR_WORKFLOWS_S: Final = 2.0
_PER_CORE: Final = 2


@dataclass(frozen=True, slots=True)
class SandboxPart:
    """Nothing of it asks the engine before `work` does, or a program comes."""

    sandbox: ContainerSandbox
    options: SandboxOptions

    async def close(self) -> None:
        """Have every container gone."""
        await self.sandbox.close()

    def work(
        self, kind: WorkerKind, tools: Callable[[], Collection[str]]
    ) -> Callable[[], Awaitable[None]]:
        """What goes on beside the turns, once one of `tools()` of the workflows is the sandbox's.

        Containers wait only where the process works on runs.
        """

        async def run() -> None:
            while True:
                if self.options.enabled and PythonExecutor.name in tools():
                    await (self.sandbox.look_on() if kind == "api" else self.sandbox.work())
                await asyncio.sleep(_LOOK_FOR_WORKFLOWS_S)

        return run


def configured_sandbox(settings: Settings) -> SandboxPart:
    """The one that `sandbox.yaml` describes.

    Raises:
        ConfigError: every problem of the file.
    """
    return make_sandbox(settings, load_sandbox(folders_of(settings).config / FILE))


def make_sandbox(settings: Settings, options: SandboxOptions) -> SandboxPart:
    """One on the engine that the settings name."""
    address = settings.sandbox.docker_host
    images = GivenImage(options.image) if options.image else ShippedImage()
    places = options.parallel or _PER_CORE * (os.cpu_count() or 1)
    engine = DockerEngine(
        options,
        images=images,
        owner=process_name(),
        address=address,
        most=places + options.pool.size,
    )
    look = Look(DockerProbe(address), images)
    return SandboxPart(ContainerSandbox(engine, look, options, places=places), options)
