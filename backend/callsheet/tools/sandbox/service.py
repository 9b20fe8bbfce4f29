"""The sandbox: a place, a container for each program, and what became of it."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from callsheet.kit.log import get_log
from callsheet.tools.sandbox.box import Box
from callsheet.tools.sandbox.collect import Collected
from callsheet.tools.sandbox.frames import GO, Frame, request_of
from callsheet.tools.sandbox.inside.wire import NONCE_BYTES
from callsheet.tools.sandbox.installing import installed
from callsheet.tools.sandbox.look import Look
from callsheet.tools.sandbox.options import SandboxOptions
from callsheet.tools.sandbox.pool import Engine, Pool
from callsheet.tools.sandbox.protocol import (
    ExecutionResult,
    Program,
    SandboxBusy,
    SandboxState,
    SandboxUnavailable,
    Watch,
)

_LATE_S: Final = 2.0
"""The runner ends a program whose time is over; where it does not, its container is ended then."""

_log = get_log(__name__)


class ContainerSandbox:
    """Implements `Sandbox` with one container for each program.

    One that waits is taken where there is one, else a new one is begun without imports. As many
    programs run at once as `places` says; the others wait.
    """

    def __init__(self, engine: Engine, look: Look, options: SandboxOptions, *, places: int) -> None:
        self._engine = engine
        self._look = look
        self._options = options
        self._pool = Pool(engine, options.pool)
        self._places = asyncio.Semaphore(places)
        self._running = 0

    def state(self) -> SandboxState:
        """As the protocol says."""
        if not self._options.enabled:
            return SandboxState("off", "The sandbox is switched off in config/sandbox.yaml.")
        return self._look.state(
            warm=self._pool.warm, pool_size=self._pool.size, running=self._running
        )

    async def work(self) -> None:
        """Look after the engine and the pool until cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._look.work())
            group.create_task(self._fill_when_ready())

    async def look_on(self) -> None:
        """Look after the engine alone, until cancelled: for who tells of it and runs nothing."""
        await self._look.work()

    async def close(self) -> None:
        """Remove what waits, and return when everything is gone."""
        self._pool.clear()
        await self._engine.close()

    async def run(self, program: Program, watch: Watch) -> ExecutionResult:
        """As the protocol says; SandboxBusy where no place became free in time."""
        async with self._place(watch):
            await self._look.ensure_image(lambda step: watch.stage("building", step))
            try:
                return await self._run(program, watch)
            except SandboxUnavailable:
                await self._look.refresh()  # so that the tool is not offered for longer than needed
                raise

    async def _run(self, program: Program, watch: Watch) -> ExecutionResult:
        if program.packages:
            return await self._run_with_packages(program, watch)
        box = self._pool.take()
        if box is not None:
            result = await self._attempt(box, program, watch)
            if result is not None:
                return result
            _log.warning("sandbox_container_was_gone")
        watch.stage("starting", "A container is started.")
        result = await self._attempt(await self._engine.start(()), program, watch)
        if result is None:
            raise SandboxUnavailable("A container of the sandbox ended before the program.")
        return result

    async def _run_with_packages(self, program: Program, watch: Watch) -> ExecutionResult:
        """In a container that has a network while they are installed, and none afterwards."""
        install = self._options.install
        if install is None:
            raise SandboxUnavailable("No packages may be installed here.")
        watch.stage("starting", "A container is started.")
        box = await self._engine.start((), install.network)
        try:
            watch.stage("installing", ", ".join(program.packages))
            failure = await installed(box, request_of(program, self._options), install.timeout_s)
            if failure is None:
                await box.unplug()
                result = await self._attempt(box, program, watch, GO)
        finally:
            box.remove()
        if failure is not None:
            return failure
        if result is None:
            raise SandboxUnavailable("A container of the sandbox ended before the program.")
        return result

    async def _fill_when_ready(self) -> None:
        await self._look.wait_until_ready()
        if self._options.pool.fill == "start":
            with contextlib.suppress(SandboxUnavailable):  # it is in the log; a program asks again
                await self._look.ensure_image(lambda _: None)
        await self._pool.work()

    @asynccontextmanager
    async def _place(self, watch: Watch) -> AsyncIterator[None]:
        if self._places.locked():
            watch.stage("queued", "Waits until another program has ended.")
        try:
            async with asyncio.timeout(self._options.queue_s):
                await self._places.acquire()
        except TimeoutError as error:
            raise SandboxBusy("All places of the sandbox are taken.") from error
        self._running += 1
        try:
            yield
        finally:
            self._running -= 1
            self._places.release()

    async def _attempt(
        self, box: Box, program: Program, watch: Watch, request: bytes | None = None
    ) -> ExecutionResult | None:
        """Run it in `box`, which is gone afterwards; None where it was gone before it began.

        `request` None: the whole of it is still to be sent.
        """
        begun = time.monotonic()
        collected = Collected(self._options, program.timeout_s)
        nonce = secrets.token_bytes(NONCE_BYTES)
        request = request or request_of(program, self._options)
        watch.stage("running", "")
        try:
            async with asyncio.timeout(program.timeout_s + _LATE_S):
                await _follow(box.frames(request + nonce, nonce), collected, watch)
        except TimeoutError:
            pass
        finally:
            box.remove()
        duration_s = time.monotonic() - begun
        if collected.ended:
            return collected.result(duration_s)
        if duration_s >= program.timeout_s:
            return collected.late(duration_s)
        if not collected.started:
            return None
        await self._look.still_there()
        return collected.killed(duration_s)


async def _follow(frames: AsyncGenerator[list[Frame]], collected: Collected, watch: Watch) -> None:
    """Until the program has ended or its container is gone."""
    async with contextlib.aclosing(frames):
        async for together in frames:
            for stream, text in collected.take(together):
                watch.output(stream, text)
            if collected.ended:
                return
