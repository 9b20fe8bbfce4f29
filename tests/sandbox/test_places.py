"""Who may begin when, with which image, and what is known of the engine."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from callsheet.tools.sandbox.protocol import SandboxBusy, SandboxState, SandboxUnavailable
from tests.sandbox.fake_engine import FakeEngine, FakeImages, FakeProbe, Watched
from tests.sandbox.played import HELLO, OPTIONS, endless, hello, sandbox, working
from tests.sandbox.runner_words import begin, end


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
