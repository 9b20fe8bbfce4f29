"""The image is built once, for all who wait, in a thread, and on when they have left."""

from __future__ import annotations

import asyncio
import fcntl
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from callsheet.kit.errors import SetupError, Unavailable
from callsheet.tools.sandbox.image import images as module
from callsheet.tools.sandbox.image.build import Built, Wish, build_image
from callsheet.tools.sandbox.image.images import BuiltImages
from callsheet.tools.sandbox.image.recipe import load_recipe
from callsheet.tools.sandbox.image.workshop import Workshop
from callsheet.tools.sandbox.protocol import SandboxUnavailable

RECIPE = load_recipe()


class Builder:
    """Builds nothing, as long as it is held."""

    def __init__(self) -> None:
        self.builds = 0
        self.go_on = threading.Event()
        self.failure: Exception | None = None

    def __call__(self, shop: Workshop) -> Built:
        self.builds += 1
        shop.tell("unpacking")
        while not self.go_on.wait(0.02):
            shop.check()
        if self.failure:
            raise self.failure
        return Built(RECIPE.image, 1, is_new=True)


class Seconds:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@asynccontextmanager
async def working(images: BuiltImages) -> AsyncIterator[None]:
    async with asyncio.TaskGroup() as group:
        task = group.create_task(images.work())
        yield
        task.cancel()


async def until_told(told: list[str]) -> None:
    async with asyncio.timeout(10):
        while not told:
            await asyncio.sleep(0.01)


async def test_all_who_wait_share_one_build_and_hear_its_steps() -> None:
    builder = Builder()
    images = BuiltImages(builder, may_build=True)
    first: list[str] = []
    second: list[str] = []
    async with working(images), asyncio.TaskGroup() as waiting:
        waiting.create_task(images.ensure(first.append))
        waiting.create_task(images.ensure(second.append))
        await until_told(first)
        assert images.step == "unpacking"
        builder.go_on.set()

    assert (first, second, builder.builds) == (["unpacking"], ["unpacking"], 1)
    assert images.step is None


async def test_a_build_goes_on_when_whoever_asked_has_left() -> None:
    builder = Builder()
    images = BuiltImages(builder, may_build=True)
    told: list[str] = []
    async with working(images), asyncio.TaskGroup() as waiting:
        left = waiting.create_task(images.ensure(told.append))
        await until_told(told)
        left.cancel()
        builder.go_on.set()
        await images.ensure(told.append)

    assert builder.builds == 1


async def test_a_build_that_failed_is_told_and_tried_again_later() -> None:
    builder, seconds = Builder(), Seconds()
    builder.failure = SetupError("it needs root")
    builder.go_on.set()
    images = BuiltImages(builder, may_build=True, seconds=seconds)
    async with working(images):
        with pytest.raises(SandboxUnavailable, match="it needs root"):
            await images.ensure(print)
        assert not images.can_build()
        with pytest.raises(SandboxUnavailable, match="it needs root"):
            await images.ensure(print)
        assert builder.builds == 1
        seconds.now += 601
        builder.failure = None
        assert images.can_build()
        await images.ensure(print)

    assert (builder.builds, images.failure) == (2, "")


async def test_where_building_is_off_the_command_is_named() -> None:
    images = BuiltImages(Builder(), may_build=False)

    with pytest.raises(SandboxUnavailable, match="callsheet sandbox build"):
        await images.ensure(print)


async def test_a_build_that_does_not_stop_holds_up_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_STOPS_WITHIN_S", 0.1)
    go_on, told, turns = threading.Event(), list[str](), 0

    def deaf(shop: Workshop) -> Built:
        shop.tell("pulling")
        go_on.wait(20)
        return Built(RECIPE.image, 1, is_new=True)

    images = BuiltImages(deaf, may_build=True)
    try:
        async with asyncio.timeout(10), asyncio.TaskGroup() as group:
            work = group.create_task(images.work())
            waiting = group.create_task(images.ensure(told.append))
            await until_told(told)
            work.cancel()
            while not work.done():
                turns += 1
                await asyncio.sleep(0.01)
            waiting.cancel()
    finally:
        go_on.set()

    assert turns > 1


def test_who_waits_for_another_process_s_build_can_be_stopped(tmp_path: Path) -> None:
    stop, told = threading.Event(), list[str]()

    def tell(step: str) -> None:
        told.append(step)
        stop.set()

    client: Any = None  # nothing is asked of the engine
    with (tmp_path / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(Unavailable, match="stopped"):
            build_image(client, RECIPE, tmp_path, Wish(), Workshop(tell, stop))

    assert told == ["waiting for another process that builds it"]


async def test_a_server_that_ends_stops_the_build() -> None:
    builder = Builder()
    images = BuiltImages(builder, may_build=True)
    told: list[str] = []
    async with asyncio.timeout(20), asyncio.TaskGroup() as group:
        async with working(images):
            waiting = group.create_task(images.ensure(told.append))
            await until_told(told)
        waiting.cancel()

    assert builder.builds == 1
