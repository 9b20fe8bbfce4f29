"""What is known of the engine: looked for beside the turns, again and again while it is away."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Final, Protocol

from callsheet.kit.log import get_log
from callsheet.tools.sandbox.protocol import Images, SandboxState, SandboxUnavailable

_DOWN_S: Final = 30.0
_UP_S: Final = 60.0
_STARTING: Final = SandboxState("starting", "No workflow has python_executor yet.")

_log = get_log(__name__)


class Probe(Protocol):
    """Asks the engine."""

    async def state(self, image: str) -> SandboxState:
        """Whether it answers and has the image; never raises."""
        ...


class Look:
    """The state of the engine as it was last seen."""

    def __init__(self, probe: Probe, images: Images) -> None:
        self._probe = probe
        self._images = images
        self._state = _STARTING
        self._ready = asyncio.Event()
        self._building = asyncio.Lock()  # two programs at once build one image

    def state(self, *, warm: int, pool_size: int, running: int) -> SandboxState:
        """The last state, with what is known without asking."""
        if (step := self._images.step) is not None:
            return SandboxState("building", f"Its image is being built: {step}.")
        return replace(self._state, warm=warm, pool_size=pool_size, running=running)

    async def work(self) -> None:
        """Look until cancelled."""
        while True:
            await self.refresh()
            await asyncio.sleep(_UP_S if self._state.ready else _DOWN_S)

    async def refresh(self) -> SandboxState:
        """Look now; the log tells what has changed."""
        before = self._state.kind
        seen = await self.look()
        if seen.kind != before:
            tell = _log.info if seen.ready else _log.warning
            tell("sandbox_state", state=seen.kind, detail=seen.detail)
        return seen

    async def look(self) -> SandboxState:
        """Look now, for who tells of it in other ways."""
        seen = await self._probe.state(self._images.name)
        if seen.kind == "no_image" and self._images.can_build():
            seen = SandboxState("ready", "The image is built when the first program comes.")
        elif seen.kind == "no_image" and self._images.failure:
            detail = f"{seen.detail} Building it failed: {self._images.failure}"
            seen = SandboxState("no_image", detail)
        self._state = seen
        if seen.ready:
            self._ready.set()
        else:
            self._ready.clear()
        return seen

    async def wait_until_ready(self) -> None:
        """Return when programs can be run."""
        await self._ready.wait()

    async def still_there(self) -> None:
        """Raises SandboxUnavailable where the engine has gone away."""
        if not (seen := await self.refresh()).ready:
            raise SandboxUnavailable(seen.detail)

    async def ensure_image(self, tell: Callable[[str], None]) -> None:
        """Have the image made where it is missing; SandboxUnavailable where that cannot be."""
        if self._state.ready and not self._state.detail:
            return
        async with self._building:
            seen = await self._probe.state(self._images.name)
            if seen.kind == "no_image":
                await self._images.ensure(tell)
                seen = await self._probe.state(self._images.name)
            if not seen.ready:
                raise SandboxUnavailable(seen.detail)
            self._state = seen
            self._ready.set()
