"""The sandbox over containers that play their part; `test_programs.py` has real ones."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from callsheet.tools.sandbox.options import PoolOptions
from callsheet.tools.sandbox.protocol import Program, SandboxState, SandboxUnavailable
from tests.sandbox.fake_engine import FakeEngine, FakeProbe, Watched
from tests.sandbox.played import (
    HELLO,
    OPTIONS,
    broken_off,
    endless,
    hello,
    sandbox,
    stillborn,
    until_warm,
    working,
)
from tests.sandbox.runner_words import begin


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
