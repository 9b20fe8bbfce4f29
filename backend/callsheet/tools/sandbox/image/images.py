"""The product's own image, built where it is missing and somebody has use for it."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from callsheet.kit.errors import AppError, SetupError
from callsheet.kit.log import get_log
from callsheet.kit.threads import Threads
from callsheet.tools.sandbox.image.build import COMMAND, Built, Wish, build_image
from callsheet.tools.sandbox.image.client import engine_client
from callsheet.tools.sandbox.image.recipe import load_recipe
from callsheet.tools.sandbox.image.workshop import Workshop
from callsheet.tools.sandbox.protocol import SandboxUnavailable

_AGAIN_S: Final = 600.0
"""After a build that failed, until another is tried."""
_STOPS_WITHIN_S: Final = 5.0
"""A build that is told to; one that waits for the engine's next word is left to end unheard."""

Builder = Callable[[Workshop], Built]
log = get_log(__name__)


class BuiltImages:
    """Implements `Images`. A build goes on when whoever asked for it has left.

    `work` has to run for it: it holds the one thread that builds.
    """

    def __init__(
        self,
        builder: Builder,
        *,
        may_build: bool,
        seconds: Callable[[], float] = time.monotonic,
    ) -> None:
        self._builder = builder
        self._may_build = may_build
        self._seconds = seconds
        self._wanted = asyncio.Event()
        self._listeners: list[Callable[[str], None]] = []
        self._ended: asyncio.Future[None] | None = None
        self._step: str | None = None
        self._failed_at_s: float | None = None
        self._failure = ""

    @functools.cached_property
    def name(self) -> str:
        """As the protocol says. Reads a few small files, the first time."""
        return load_recipe().image

    @property
    def step(self) -> str | None:
        """What a build is doing now; None where none is under way."""
        return self._step

    @property
    def failure(self) -> str:
        """Why the last build failed; empty where it did not."""
        return self._failure

    def can_build(self) -> bool:
        """As the protocol says; for some minutes after a build that failed it cannot."""
        failed_at_s = self._failed_at_s
        rested = failed_at_s is None or self._seconds() - failed_at_s >= _AGAIN_S
        return self._may_build and rested

    async def ensure(self, tell: Callable[[str], None]) -> None:
        """As the protocol says. Whoever comes while it is built waits for the same build."""
        if self._ended is None:
            if not self.can_build():
                why = self._failure or f"`{COMMAND}` makes it."
                raise SandboxUnavailable(f"The image {self.name} is missing: {why}")
            self._ended = asyncio.get_running_loop().create_future()
            self._step = "begins"
            self._wanted.set()
        self._listeners.append(tell)
        try:
            await asyncio.shield(self._ended)
        finally:
            self._listeners.remove(tell)

    async def work(self) -> None:
        """Build what is asked for, until cancelled; a build under way is stopped then."""
        thread, stop = Threads("sandbox-image", limit=1), threading.Event()
        try:
            while True:
                await self._wanted.wait()
                self._wanted.clear()
                await self._build(thread, stop)
        finally:
            stop.set()

    async def _build(self, thread: Threads, stop: threading.Event) -> None:
        loop, ended, left = asyncio.get_running_loop(), self._ended, asyncio.Event()

        def tell(step: str) -> None:
            loop.call_soon_threadsafe(self._heard, step)

        def build() -> Built:
            try:
                return self._builder(Workshop(tell, stop))
            finally:
                with contextlib.suppress(RuntimeError):  # nobody was waited for any more
                    loop.call_soon_threadsafe(left.set)

        failure: SandboxUnavailable | None = None
        try:
            built = await thread.run(build)
            log.info("sandbox_image_built", image=built.image, size_bytes=built.size_bytes)
            self._failure, self._failed_at_s = "", None
        except (SetupError, AppError, OSError) as error:
            self._failure, self._failed_at_s = str(error), self._seconds()
            log.warning("sandbox_image_not_built", image=self.name, detail=str(error))
            failure = SandboxUnavailable(f"The sandbox's image could not be built: {error}")
        except asyncio.CancelledError:
            stop.set()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_STOPS_WITHIN_S):
                    await left.wait()
            raise
        finally:
            self._ended, self._step = None, None
            if ended is not None and not ended.done():
                ended.set_exception(failure) if failure else ended.set_result(None)
                ended.exception()  # it is no fault that nobody waits any more

    def _heard(self, step: str) -> None:
        self._step = step
        log.info("sandbox_image", step=step)
        for tell in list(self._listeners):
            tell(step)


def builder_on(docker_host: str | None, folder: Path) -> Builder:
    """Builds it on that engine; `folder` holds the files meanwhile."""

    def build(shop: Workshop) -> Built:
        with engine_client(docker_host) as client:
            return build_image(client, load_recipe(), folder, Wish(), shop)

    return build
