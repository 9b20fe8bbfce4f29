"""Containers that wait with everything imported."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from typing import Final, Protocol

from callsheet.kit.log import get_log
from callsheet.tools.sandbox.box import Box
from callsheet.tools.sandbox.options import PoolOptions
from callsheet.tools.sandbox.protocol import SandboxUnavailable

_AGAIN_S: Final = 5.0
_REST_S: Final = 0.3
"""A new container costs the engine more than a program: those that came together go first."""
_log = get_log(__name__)


class Engine(Protocol):
    """Makes containers."""

    async def start(self, preload: Sequence[str], network: str | None = None) -> Box:
        """A new one that has imported `preload`, on `network`; raises SandboxUnavailable."""
        ...

    async def close(self) -> None:
        """Return when all that were removed are gone."""
        ...


class Pool:
    """Hands out containers that wait, and makes new ones, one at a time, while it is worked on.

    With `fill: first_use` none is made before the first program has come, nor again after
    `idle_s` without one.
    """

    def __init__(self, engine: Engine, options: PoolOptions) -> None:
        self._engine = engine
        self._options = options
        self._waiting: deque[Box] = deque()
        self._asked = asyncio.Event()

    @property
    def warm(self) -> int:
        """How many wait."""
        return sum(box.is_alive for box in self._waiting)

    @property
    def size(self) -> int:
        """How many are to wait."""
        return self._options.size

    def take(self) -> Box | None:
        """One that waits; None where none does. Either way more will be wanted."""
        self._asked.set()
        while self._waiting:
            box = self._waiting.popleft()
            if box.is_alive:
                return box
            box.remove()
        return None

    async def work(self) -> None:
        """Keep it full until cancelled, then let go of what waits."""
        try:
            if self._options.fill == "start":
                await self._fill()
            while True:
                try:
                    async with asyncio.timeout(self._options.idle_s):
                        await self._asked.wait()
                except TimeoutError:
                    if self._options.fill == "first_use":
                        self.clear()
                    continue
                await asyncio.sleep(_REST_S)
                self._asked.clear()
                await self._fill()
        finally:
            self.clear()

    async def _fill(self) -> None:
        while self.warm < self._options.size:
            try:
                self._waiting.append(await self._engine.start(self._options.preload))
            except SandboxUnavailable as error:
                _log.warning("sandbox_pool_not_filled", error=str(error))
                await asyncio.sleep(_AGAIN_S)
                return

    def clear(self) -> None:
        """Remove all that wait."""
        while self._waiting:
            self._waiting.popleft().remove()
