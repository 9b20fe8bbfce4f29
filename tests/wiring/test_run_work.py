"""A run whose journal failed gets its end as soon as it can be stored, also when it is stopped."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, cast
from uuid import UUID

import pytest

from callsheet.events.run import RunFailed
from callsheet.journal.spool import Measured
from callsheet.journal.written import Fenced
from callsheet.kit.errors import AppError, Unavailable
from callsheet.kit.ids import new_id
from callsheet.runs.lease import Lease
from callsheet.turn.request import TurnRequest
from callsheet.wiring import run_work
from callsheet.wiring.core import Core
from callsheet.wiring.run_work import RunWork
from callsheet.workflows.workflow import Workflow
from tests.fakes.spool import NoSpool

AWAY = Unavailable("The database does not answer.", service="database")


@dataclass
class World:
    """The parts of a process that a failed run meets; the database is away `away` times."""

    away: int
    failure: Exception = AWAY
    is_stopping: bool = False
    spool: NoSpool = field(default_factory=NoSpool)
    ends: list[RunFailed] = field(default_factory=list)
    told: list[AppError | None] = field(default_factory=list)
    tried: asyncio.Event = field(default_factory=asyncio.Event)

    async def run(self, *_: Any) -> None:
        raise self.failure

    async def end(self, run_id: UUID, seen: Lease, last: RunFailed) -> bool:
        assert seen == Lease("w1", 3)
        self.tried.set()
        if self.away:
            self.away -= 1
            raise AWAY
        self.ends.append(last)
        return True

    def break_off(self, run_id: UUID, error: AppError | None) -> None:
        self.told.append(error)

    async def job(self) -> None:
        await self.work()(lambda: "user")

    def work(self) -> RunWork:
        journal = SimpleNamespace(
            unstored=tuple, when_taken=lambda _: None, keys=SimpleNamespace(epoch=3)
        )
        core = SimpleNamespace(
            turns=self,
            recovery=self,
            broker=self,
            last_viewers=SimpleNamespace(minding=lambda *_: nullcontext()),
            steering=SimpleNamespace(into=lambda *_: nullcontext()),
            spool=self.spool,
            writer=SimpleNamespace(open=lambda _: journal),
            worker_id="w1",
            jobs=SimpleNamespace(is_stopping=self.is_stopping),
        )
        turn = TurnRequest(new_id(), new_id(), new_id(), "chat", new_id(), "hello", "t")
        return RunWork(cast(Core, core), cast(Workflow, None), turn)


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_work, "_AGAIN_S", 0.01)
    monkeypatch.setattr(run_work, "_LAST_S", 0.2)


async def test_the_end_is_stored_as_soon_as_the_database_is_back() -> None:
    world = World(away=3)
    await world.job()
    assert [end.code for end in world.ends] == ["unavailable"]
    assert world.told == [AWAY] * 3


async def test_a_fault_of_ours_is_an_end_too() -> None:
    world = World(away=0, failure=RuntimeError("what it is stays in the log"))
    await world.job()
    assert [(end.code, "log" in end.message) for end in world.ends] == [("internal", False)]
    assert world.told == []


async def test_a_stop_does_not_keep_the_run_from_its_end() -> None:
    world = World(away=3)
    task = asyncio.create_task(world.job())
    await world.tried.wait()
    task.cancel()
    await task
    assert [end.code for end in world.ends] == ["unavailable"]


async def test_a_stopped_process_does_not_wait_for_the_database_for_ever() -> None:
    world = World(away=1_000_000)
    task = asyncio.create_task(world.job())
    await world.tried.wait()
    task.cancel()
    async with asyncio.timeout(5):
        await task
    assert world.ends == []
    assert world.told[-1] is not AWAY


async def test_a_run_that_another_process_has_taken_is_not_ended_here() -> None:
    for is_stopping, told in ((False, []), (True, [None])):
        world = World(away=0, failure=Fenced(), is_stopping=is_stopping)
        await world.job()
        assert (world.ends, world.told) == ([], told)


class SlowSpool(NoSpool):
    """Takes its time, and says when it is asked and what it has kept."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self.go = asyncio.Event()
        self.kept = 0

    async def keep(self, measured: Sequence[Measured]) -> None:
        self.asked.set()
        await self.go.wait()
        self.kept += 1


async def test_a_stop_does_not_keep_what_was_used_from_being_kept() -> None:
    world = World(away=0, failure=Fenced(), is_stopping=True)
    world.spool = spool = SlowSpool()
    task = asyncio.create_task(world.job())
    await spool.asked.wait()
    assert world.told == [None]  # nobody who looks on waits for the disk
    task.cancel()
    await asyncio.sleep(0)
    spool.go.set()
    await task
    assert spool.kept == 1


async def test_a_stop_while_it_is_kept_still_bounds_how_long_the_end_is_waited_for() -> None:
    world = World(away=1_000_000)
    world.spool = spool = SlowSpool()
    task = asyncio.create_task(world.job())
    await spool.asked.wait()
    task.cancel()
    await asyncio.sleep(0)
    spool.go.set()
    async with asyncio.timeout(5):
        await task
    assert (world.ends, spool.kept) == ([], 1)
