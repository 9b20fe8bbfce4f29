"""Programs and sandboxes for the tests of the service."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from callsheet.tools.sandbox.look import Look
from callsheet.tools.sandbox.options import PoolOptions, SandboxOptions
from callsheet.tools.sandbox.protocol import Program
from callsheet.tools.sandbox.service import ContainerSandbox
from tests.sandbox.fake_engine import FakeEngine, FakeImages, FakeProbe, silence
from tests.sandbox.runner_words import begin, end, out

OPTIONS = SandboxOptions(pool=PoolOptions(size=2), suffixes=("csv",))
HELLO = Program("print('hi')", 30)


async def hello(request: bytes) -> AsyncIterator[bytes]:
    yield begin() + out(b"hi\n")
    yield end()


async def endless(request: bytes) -> AsyncIterator[bytes]:
    yield begin() + out(b"first\n")
    await silence()


async def stillborn(request: bytes) -> AsyncIterator[bytes]:
    words: tuple[bytes, ...] = ()
    for word in words:
        yield word


async def broken_off(request: bytes) -> AsyncIterator[bytes]:
    yield begin() + out(b"first\n")


def sandbox(
    engine: FakeEngine,
    options: SandboxOptions = OPTIONS,
    *,
    probe: FakeProbe | None = None,
    images: FakeImages | None = None,
    places: int = 2,
) -> ContainerSandbox:
    look = Look(probe or FakeProbe(), images or FakeImages())
    return ContainerSandbox(engine, look, options, places=places)


@asynccontextmanager
async def working(made: ContainerSandbox) -> AsyncIterator[None]:
    async with asyncio.TaskGroup() as group:
        task = group.create_task(made.work())
        yield
        task.cancel()


async def until_warm(made: ContainerSandbox, count: int) -> None:
    async with asyncio.timeout(10):
        while made.state().warm != count:
            await asyncio.sleep(0)
