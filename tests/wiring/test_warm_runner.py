"""Stages wait for the crew engine, which is loaded in the background, but not for ever."""

from __future__ import annotations

import asyncio

import pytest

from callsheet.kit.errors import Unavailable
from callsheet.turn.meter import Meter
from callsheet.turn.ports import Emit, StageWork
from callsheet.turn.view import StageResult
from callsheet.wiring.warm_runner import WarmRunner
from tests.fakes.stage import stage_work
from tests.fakes.turn import FakeMeter, Recording


class Echo:
    """Implements `StageRunner`."""

    async def run(self, work: StageWork, emit: Emit, meter: Meter) -> StageResult:
        return StageResult(text=work.request.message_text)


async def run(runner: WarmRunner, seconds: float = 20.0) -> StageResult:
    emit = Recording()
    return await runner.run(stage_work(message="Hi", seconds=seconds), emit, FakeMeter(emit))


async def test_a_stage_that_comes_early_waits_and_then_runs() -> None:
    runner = WarmRunner()
    async with asyncio.TaskGroup() as group:
        early = group.create_task(run(runner))
        await asyncio.sleep(0)
        assert not early.done()
        runner.set(Echo())
    assert early.result() == await run(runner) == StageResult(text="Hi")


async def test_a_stage_waits_no_longer_than_its_deadline() -> None:
    with pytest.raises(Unavailable, match="still starting") as failure:
        await run(WarmRunner(), seconds=0.01)
    assert failure.value.extra == {"service": "crew"}


async def test_an_engine_that_cannot_be_loaded_is_told_to_early_and_late_stages() -> None:
    runner = WarmRunner()
    async with asyncio.TaskGroup() as group:
        early = group.create_task(expect_failure(runner))
        await asyncio.sleep(0)
        runner.fail(ImportError("no such module"))
    assert early.result() == await expect_failure(runner)
    assert "no such module" in early.result()


async def expect_failure(runner: WarmRunner) -> str:
    with pytest.raises(Unavailable) as failure:
        await run(runner)
    return str(failure.value)
