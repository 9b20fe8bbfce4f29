"""Jobs belong to the process: they outlive their caller, stop when told, and drain at the end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest

from callsheet.jobs.local import LocalJobs
from callsheet.kit.errors import Unavailable
from callsheet.kit.ids import new_id


@asynccontextmanager
async def running(jobs: LocalJobs, drain_s: float = 5.0) -> AsyncIterator[None]:
    async with asyncio.TaskGroup() as group:
        group.create_task(jobs.run(drain_s))
        await asyncio.sleep(0)
        yield
        jobs.stop()


class Sleeper:
    """A job that waits until it is let go, and remembers how it ended."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()
        self.go = asyncio.Event()
        self.ended: list[str] = []

    async def __call__(self, reason: Callable[[], str]) -> None:
        self.begun.set()
        try:
            await self.go.wait()
            self.ended.append("done")
        except asyncio.CancelledError:
            self.ended.append(reason())


async def test_a_job_runs_to_its_end() -> None:
    jobs, work, job_id = LocalJobs(4), Sleeper(), new_id()
    async with running(jobs):
        jobs.submit(job_id, work)
        await work.begun.wait()
        assert jobs.has(job_id)
        work.go.set()
    assert work.ended == ["done"]
    assert jobs.count() == 0


async def test_cancel_returns_once_the_job_has_ended_and_tells_it_why() -> None:
    jobs, work, job_id = LocalJobs(4), Sleeper(), new_id()
    async with running(jobs):
        jobs.submit(job_id, work)
        await work.begun.wait()
        assert await jobs.cancel(job_id, "user")
        assert work.ended == ["user"]
        assert not await jobs.cancel(job_id, "user")


async def test_a_job_that_is_cancelled_before_it_begins_still_says_how_it_ended() -> None:
    jobs, work, job_id = LocalJobs(4), Sleeper(), new_id()
    async with running(jobs):
        jobs.submit(job_id, work)
        assert await jobs.cancel(job_id, "user")
    assert work.ended == ["user"]


async def test_a_second_cancel_does_not_cut_short_what_the_first_set_going() -> None:
    jobs, job_id = LocalJobs(4), new_id()
    begun, cleaning, cleaned = asyncio.Event(), asyncio.Event(), []

    async def work(reason: Callable[[], str]) -> None:
        begun.set()
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cleaning.set()
            await asyncio.sleep(0.02)
            cleaned.append(reason())

    async with running(jobs):
        jobs.submit(job_id, work)
        await begun.wait()
        async with asyncio.TaskGroup() as group:
            group.create_task(jobs.cancel(job_id, "user"))
            await cleaning.wait()
            group.create_task(jobs.cancel(job_id, "shutdown"))
    assert cleaned == ["user"]


async def test_the_end_of_the_process_lets_jobs_end_and_then_stops_the_rest() -> None:
    jobs, quick, slow = LocalJobs(4), Sleeper(), Sleeper()
    async with running(jobs, drain_s=0.05):
        jobs.submit(new_id(), quick)
        jobs.submit(new_id(), slow)
        await slow.begun.wait()
        quick.go.set()
    assert quick.ended == ["done"]
    assert slow.ended == ["shutdown"]


async def test_a_failing_job_takes_no_other_with_it() -> None:
    jobs, work = LocalJobs(4), Sleeper()

    async def broken(reason: Callable[[], str]) -> None:
        raise ValueError("broken")

    async with running(jobs):
        jobs.submit(new_id(), broken)
        jobs.submit(new_id(), work)
        await work.begun.wait()
        work.go.set()
    assert work.ended == ["done"]


async def test_there_is_no_place_for_more_than_the_most() -> None:
    jobs, work, job_id = LocalJobs(1), Sleeper(), new_id()
    freed = asyncio.Event()
    jobs.when_freed(freed.set)
    async with running(jobs):
        assert jobs.room() == 1
        with jobs.place(job_id) as first:
            with jobs.place(new_id()) as second:
                assert (first, second) == (True, False)
            jobs.submit(job_id, work)
        with jobs.place(new_id()) as third:
            assert not third
        with jobs.place(job_id) as again:
            assert again
        assert jobs.room() == 0
        work.go.set()
        await asyncio.wait_for(freed.wait(), 10)
        with jobs.keep(1), jobs.place(new_id()) as kept:
            assert not kept
        assert jobs.room() == 1
        jobs.stop()
        assert (jobs.room(), jobs.is_stopping) == (0, True)


async def test_what_does_not_end_in_time_is_let_go_before_it_is_cancelled() -> None:
    jobs, slow = LocalJobs(1), Sleeper()
    let_go: list[int] = []

    async def let() -> None:
        let_go.append(jobs.count())

    async with asyncio.TaskGroup() as group:
        group.create_task(jobs.run(0.01, let))
        await asyncio.sleep(0)
        jobs.submit(new_id(), slow)
        await slow.begun.wait()
        jobs.stop()
    assert (let_go, slow.ended) == ([1], ["shutdown"])


async def test_an_expected_job_counts_as_here_until_it_ends_or_is_forgotten() -> None:
    jobs, work, job_id = LocalJobs(2), Sleeper(), new_id()
    async with running(jobs):
        jobs.expect(job_id)
        assert jobs.has(job_id)
        jobs.submit(job_id, work)
        assert jobs.has(job_id)
        work.go.set()
    assert not jobs.has(job_id)
    jobs.expect(job_id)
    jobs.forget(job_id)
    assert not jobs.has(job_id)


async def test_no_place_is_given_once_the_end_has_begun_but_to_who_has_one() -> None:
    jobs, work, job_id = LocalJobs(4), Sleeper(), new_id()
    async with running(jobs):
        jobs.submit(job_id, work)
        await work.begun.wait()
        jobs.stop()
        with pytest.raises(Unavailable, match="shutting down"), jobs.place(new_id()):
            pass
        with jobs.place(job_id):
            work.go.set()
    assert work.ended == ["done"]


async def test_nothing_is_taken_after_the_end() -> None:
    jobs = LocalJobs(1)
    async with running(jobs):
        pass
    with pytest.raises(Unavailable):
        jobs.submit(new_id(), Sleeper())
