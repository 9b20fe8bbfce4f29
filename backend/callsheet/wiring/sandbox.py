"""The sandbox of a process: its engine, its image, and what goes on for it beside the turns."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from typing import Final

from callsheet.kit.log import get_log
from callsheet.runs.worker_locks import WorkerKind
from callsheet.settings.folders import folders_of
from callsheet.settings.settings import Settings
from callsheet.tools.sandbox.docker import DockerEngine
from callsheet.tools.sandbox.image.images import BuiltImages, builder_on
from callsheet.tools.sandbox.images import GivenImage
from callsheet.tools.sandbox.look import Look
from callsheet.tools.sandbox.options import SandboxOptions
from callsheet.tools.sandbox.owner import this_owner
from callsheet.tools.sandbox.probe import DockerProbe
from callsheet.tools.sandbox.protocol import Images, SandboxUnavailable
from callsheet.tools.sandbox.python_executor import PythonExecutor
from callsheet.tools.sandbox.sandbox_file import FILE, load_sandbox
from callsheet.tools.sandbox.service import ContainerSandbox

_LOOK_FOR_WORKFLOWS_S: Final = 2.0
_PER_CORE: Final = 2
_SWEEP_S: Final = 60.0
_SWEEP_AGAIN_S: Final = 5.0

_log = get_log(__name__)


@dataclass(frozen=True, slots=True)
class SandboxPart:
    """Nothing of it asks the engine before `work` does, or a program comes."""

    sandbox: ContainerSandbox
    options: SandboxOptions
    engine: DockerEngine
    look: Look
    images: Images

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
                    await (self.sandbox.look_on() if kind == "api" else self.work_now())
                await asyncio.sleep(_LOOK_FOR_WORKFLOWS_S)

        return run

    async def work_now(self) -> None:
        """Look after engine, image and pool, until cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self.sandbox.work())
            group.create_task(self.images.work())
            group.create_task(self._sweep())

    async def _sweep(self) -> None:
        """Remove what killed processes have left, soon after the start and then every minute.

        Not at once: that loads the engine's SDK, and the first turns come first.
        """
        await asyncio.sleep(_SWEEP_AGAIN_S)
        while True:
            await self.look.wait_until_ready()
            try:
                removed = await self.engine.sweep()
            except SandboxUnavailable:  # it is in the log
                await asyncio.sleep(_SWEEP_AGAIN_S)
                continue
            if removed:
                _log.info("sandbox_left_behind", containers=removed)
            await asyncio.sleep(_SWEEP_S)


def configured_sandbox(settings: Settings) -> SandboxPart:
    """The one that `sandbox.yaml` describes.

    Raises:
        ConfigError: every problem of the file.
    """
    return make_sandbox(settings, load_sandbox(folders_of(settings).config / FILE))


def make_sandbox(settings: Settings, options: SandboxOptions) -> SandboxPart:
    """One on the engine that the settings name."""
    address = settings.sandbox.docker_host
    folder = folders_of(settings).data / "sandbox-image"
    images: Images = (
        GivenImage(options.image)
        if options.image
        else BuiltImages(builder_on(address, folder), may_build=options.build)
    )
    places = options.parallel or _PER_CORE * (os.cpu_count() or 1)
    engine = DockerEngine(
        options,
        images=images,
        owner=this_owner(),
        address=address,
        most=places + options.pool.size,
    )
    look = Look(DockerProbe(address), images)
    sandbox = ContainerSandbox(engine, look, options, places=places)
    return SandboxPart(sandbox, options, engine, look, images)
