"""The sandbox over containers that play their part; `test_programs.py` has real ones."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from callsheet.tools.sandbox.look import Look
from callsheet.tools.sandbox.options import PoolOptions, SandboxOptions
from callsheet.tools.sandbox.protocol import (
    Program,
    SandboxBusy,
    SandboxState,
    SandboxUnavailable,
)
from callsheet.tools.sandbox.service import ContainerSandbox
from tests.sandbox.fake_engine import FakeEngine, FakeImages, FakeProbe, Watched, silence
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
    return
    yield b""


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


async def test_a_program_has_a_container_of_its_own_that_is_gone_afterwards() -> None:
    engine, watched = FakeEngine(hello), Watched()
    made = sandbox(engine)

    result = await made.run(HELLO, watched)

    assert (result.status, result.stdout) == ("ok", "hi\n")
    assert watched.said == [("stdout", "hi\n")]
    assert watched.stages == ["starting", "running"]
    assert [box.preload for box in engine.boxes] == [()]
    assert engine.left == []


async def test_containers_wait_once_a_program_has_come_and_none_is_used_twice() -> None:
    engine, watched = FakeEngine(hello), Watched()
    made = sandbox(engine)
    async with working(made):
        await until_warm(made, 0)
        await made.run(HELLO, Watched())
        await until_warm(made, 2)

        await made.run(HELLO, watched)
        await until_warm(made, 2)

        assert watched.stages == ["running"]
        assert [len(box.requests) for box in engine.boxes] == [1, 0 + 1, 0, 0]
        assert {box.preload for box in engine.boxes[1:]} == {OPTIONS.pool.preload}
    await made.close()
    assert engine.left == []
    assert engine.closed


async def test_containers_may_wait_from_the_start() -> None:
    engine = FakeEngine(hello)
    made = sandbox(engine, replace(OPTIONS, pool=PoolOptions(size=3, fill="start")))

    async with working(made):
        await until_warm(made, 3)


async def test_containers_that_nobody_wants_go_and_come_again() -> None:
    engine = FakeEngine(hello)
    made = sandbox(engine, replace(OPTIONS, pool=PoolOptions(size=1, idle_s=0.05)))
    async with working(made):
        await made.run(HELLO, Watched())
        await until_warm(made, 1)
        await until_warm(made, 0)
        assert engine.left == []

        await made.run(HELLO, Watched())
        await until_warm(made, 1)


async def test_one_that_died_waiting_is_not_used() -> None:
    engine = FakeEngine(hello)
    made = sandbox(engine, replace(OPTIONS, pool=PoolOptions(size=1, fill="start")))
    async with working(made):
        await until_warm(made, 1)
        engine.boxes[0].is_alive = False

        result = await made.run(HELLO, Watched())

    assert result.status == "ok"
    assert engine.boxes[0].requests == []
    assert engine.left == []


async def test_a_container_that_is_gone_before_the_program_begins_is_replaced_once() -> None:
    engine = FakeEngine(stillborn)
    made = sandbox(engine, replace(OPTIONS, pool=PoolOptions(size=1, fill="start")))
    async with working(made):
        await until_warm(made, 1)
        engine.play = hello

        result = await made.run(HELLO, Watched())

    assert result.status == "ok"
    assert [len(box.requests) for box in engine.boxes[:2]] == [1, 1]


async def test_where_no_container_lasts_the_sandbox_is_at_fault() -> None:
    engine = FakeEngine(stillborn)

    with pytest.raises(SandboxUnavailable):
        await sandbox(engine).run(HELLO, Watched())

    assert engine.left == []


async def test_time_that_is_over_ends_the_container_and_keeps_what_was_said() -> None:
    engine = FakeEngine(endless)

    result = await sandbox(engine).run(Program("", 0.05), Watched())

    assert (result.status, result.exit_code, result.stdout) == ("timeout", None, "first\n")
    assert result.reason == "It was stopped after 0.05 s."
    assert engine.left == []


async def test_a_container_that_ends_under_a_program_killed_it() -> None:
    result = await sandbox(FakeEngine(broken_off)).run(HELLO, Watched())

    assert (result.status, result.stdout) == ("killed", "first\n")


async def test_where_the_engine_went_away_meanwhile_nothing_is_said_of_the_program() -> None:
    probe = FakeProbe()

    async def engine_dies(request: bytes) -> AsyncIterator[bytes]:
        yield begin()
        probe.kind = SandboxState("no_engine", "No Docker engine answers.")

    with pytest.raises(SandboxUnavailable, match="No Docker engine answers"):
        await sandbox(FakeEngine(engine_dies), probe=probe).run(HELLO, Watched())


async def test_who_is_cancelled_leaves_no_container() -> None:
    engine, watched = FakeEngine(endless), Watched()
    made = sandbox(engine)
    async with asyncio.TaskGroup() as group:
        task = group.create_task(made.run(HELLO, watched))
        while not watched.said:
            await asyncio.sleep(0)
        assert made.state().running == 1
        task.cancel()

    assert engine.left == []
    assert made.state().running == 0


async def test_what_is_no_frame_is_a_fault_and_leaves_no_container() -> None:
    async def forged(request: bytes) -> AsyncIterator[bytes]:
        yield begin() + b"\x01\0\0\0\0\0\0\x20" + bytes(32)

    engine = FakeEngine(forged)

    with pytest.raises(SandboxUnavailable):
        await sandbox(engine).run(HELLO, Watched())

    assert engine.left == []


async def test_programs_wait_for_a_place_and_say_so() -> None:
    gate = asyncio.Event()

    async def gated(request: bytes) -> AsyncIterator[bytes]:
        yield begin()
        await gate.wait()
        yield end()

    engine, watched = FakeEngine(gated), [Watched() for _ in range(5)]
    made = sandbox(engine, places=2)
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(made.run(HELLO, each)) for each in watched]
        while sum("queued" in each.stages for each in watched) < 3:
            await asyncio.sleep(0)
        assert len(engine.left) == 2
        gate.set()

    assert [task.result().status for task in tasks] == ["ok"] * 5
    assert engine.left == []


async def test_who_waits_too_long_is_told_that_all_places_are_taken() -> None:
    made = sandbox(FakeEngine(endless), replace(OPTIONS, queue_s=0.05), places=1)
    watched = Watched()
    async with asyncio.TaskGroup() as group:
        task = group.create_task(made.run(HELLO, watched))
        while not watched.said:
            await asyncio.sleep(0)

        with pytest.raises(SandboxBusy):
            await made.run(HELLO, Watched())
        task.cancel()


async def test_an_image_that_is_missing_is_built_once_for_all_who_wait() -> None:
    probe = FakeProbe(SandboxState("no_image", "The image is missing."))

    def build() -> None:
        probe.kind = SandboxState("ready")

    images, watched = FakeImages(build=build), [Watched(), Watched()]
    made = sandbox(FakeEngine(hello), probe=probe, images=images)
    async with asyncio.TaskGroup() as group:
        for each in watched:
            group.create_task(made.run(HELLO, each))

    assert images.built == 1
    assert sum("building" in each.stages for each in watched) == 1


async def test_an_image_that_cannot_be_built_is_the_sandbox_s_fault() -> None:
    probe = FakeProbe(SandboxState("no_image", "The image is missing."))

    with pytest.raises(SandboxUnavailable, match="missing"):
        await sandbox(FakeEngine(hello), probe=probe).run(HELLO, Watched())


async def test_the_state_is_what_was_last_seen() -> None:
    probe = FakeProbe(SandboxState("no_engine", "No Docker engine answers."))
    made = sandbox(FakeEngine(hello), probe=probe)
    assert made.state().kind == "starting"

    async with working(made):
        while made.state().kind == "starting":
            await asyncio.sleep(0)
        assert made.state() == SandboxState(
            "no_engine", "No Docker engine answers.", warm=0, pool_size=2
        )


async def test_an_engine_that_fails_is_looked_at_again() -> None:
    probe = FakeProbe()
    engine = FakeEngine(hello)
    made = sandbox(engine, probe=probe)
    await made.run(HELLO, Watched())
    engine.fails, probe.kind = True, SandboxState("no_engine", "No Docker engine answers.")

    with pytest.raises(SandboxUnavailable):
        await made.run(HELLO, Watched())

    assert made.state().kind == "no_engine"
