"""Containers that play what they are told, so that the sandbox can be tried without an engine."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field

from callsheet.tools.sandbox.frames import Frame, FrameReader
from callsheet.tools.sandbox.protocol import SandboxState, SandboxUnavailable, Stage, Stream
from tests.sandbox.runner_words import NONCE

Play = Callable[[bytes], AsyncIterator[bytes]]


async def silence() -> None:
    """Never ends by itself."""
    await asyncio.Event().wait()


@dataclass
class FakeBox:
    """Implements `Box`."""

    play: Play
    preload: tuple[str, ...]
    network: str | None = None
    is_alive: bool = True
    removed: bool = False
    requests: list[bytes] = field(default_factory=list)

    async def frames(self, request: bytes, nonce: bytes) -> AsyncGenerator[list[Frame]]:
        self.requests.append(request)
        reader = FrameReader()
        reader.nonce = NONCE  # the words are made by hand
        async for raw in self.play(request):
            yield list(reader.feed(raw))

    async def unplug(self) -> None:
        self.network = None

    def remove(self) -> None:
        self.removed, self.is_alive = True, False


@dataclass
class FakeEngine:
    """Implements `Engine`; every container plays `play`."""

    play: Play
    boxes: list[FakeBox] = field(default_factory=list)
    fails: bool = False
    starting: asyncio.Event | None = None
    closed: bool = False

    async def start(self, preload: Sequence[str], network: str | None = None) -> FakeBox:
        if self.starting is not None:
            await self.starting.wait()
        if self.fails:
            raise SandboxUnavailable("The engine is away.")
        box = FakeBox(self.play, tuple(preload), network)
        self.boxes.append(box)
        return box

    async def close(self) -> None:
        self.closed = True

    @property
    def left(self) -> list[FakeBox]:
        return [box for box in self.boxes if not box.removed]


@dataclass
class FakeProbe:
    """Implements `Probe`."""

    kind: SandboxState = field(default_factory=lambda: SandboxState("ready"))
    asked: int = 0

    async def state(self, image: str) -> SandboxState:
        self.asked += 1
        return self.kind


@dataclass
class FakeImages:
    """Implements `Images`; `ensure` calls `build`."""

    name: str = "callsheet-sandbox:test"
    build: Callable[[], None] | None = None
    built: int = 0
    step: str | None = None
    failure: str = ""

    def can_build(self) -> bool:
        return self.build is not None

    async def ensure(self, tell: Callable[[str], None]) -> None:
        if self.build is None:
            raise SandboxUnavailable("The image is missing.")
        self.built += 1
        tell("Unpacking.")
        await asyncio.sleep(0)
        self.build()

    async def work(self) -> None:
        """Nothing to do."""


@dataclass
class Watched:
    """Implements `Watch`."""

    said: list[tuple[Stream, str]] = field(default_factory=list)
    stages: list[Stage] = field(default_factory=list)

    def output(self, stream: Stream, text: str) -> None:
        self.said.append((stream, text))

    def stage(self, stage: Stage, detail: str) -> None:
        self.stages.append(stage)
