"""Runs jobs in this process: they belong to it, not to the connection that asked for them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from uuid import UUID

import structlog

from callsheet.kit.errors import Unavailable

log = structlog.get_logger(__name__)

Work = Callable[[Callable[[], str]], Awaitable[None]]
"""A job's work. It is handed a function that tells, once it is being cancelled, why."""


async def _nothing_to_let_go() -> None:
    """Nobody else goes on with them."""


@dataclass(slots=True)
class _Job:
    task: asyncio.Task[None]
    reason: str | None = None
    begun: bool = False


class LocalJobs:
    """Jobs by id; `run` must be running for any to be taken. At most `most` run at a time."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._jobs: dict[UUID, _Job] = {}
        self._entering = 0
        self._expected: set[UUID] = set()
        self._group: asyncio.TaskGroup | None = None
        self._stop = asyncio.Event()
        self._freed: Callable[[], None] | None = None

    async def run(
        self, drain_s: float, let_go: Callable[[], Awaitable[None]] = _nothing_to_let_go
    ) -> None:
        """Take jobs until `stop`; then give those under way `drain_s` seconds, cancel the rest.

        Before they are cancelled `let_go` is awaited.
        """
        async with asyncio.TaskGroup() as group:
            self._group = group
            await self._stop.wait()
            self._group = None
            tasks = [job.task for job in self._jobs.values()]
            if tasks:
                await asyncio.wait(tasks, timeout=drain_s)
            if self._jobs:
                await let_go()
            for job_id in list(self._jobs):
                self._cancel(job_id, "shutdown")

    def stop(self) -> None:
        """Take no more jobs and let `run` return when those under way have ended."""
        self._stop.set()

    @contextmanager
    def place(self, job_id: UUID) -> Iterator[bool]:
        """Keep a place for a job while it is let in, inside the block; false: there is none.

        Unavailable where none is given any more; whoever comes back to a job under way needs none.
        """
        if self.has(job_id):
            yield True
            return
        self.refuse_at_end()
        if self.room() < 1:
            yield False
            return
        with self.keep(1):
            yield True

    def room(self) -> int:
        """How many more jobs could begin now; none once nothing is begun any more."""
        if self._stop.is_set():
            return 0
        return max(0, self._most - len(self._jobs) - self._entering)

    @contextmanager
    def keep(self, places: int) -> Iterator[None]:
        """Give the places to nobody else inside the block."""
        self._entering += places
        try:
            yield
        finally:
            self._entering -= places

    def when_freed(self, tell: Callable[[], None]) -> None:
        """Call it each time that a job has ended and left its place."""
        self._freed = tell

    @property
    def is_stopping(self) -> bool:
        """Whether nothing is begun any more."""
        return self._stop.is_set()

    def refuse_at_end(self) -> None:
        """Unavailable where nothing is begun any more."""
        if self._stop.is_set():
            raise Unavailable("The server is shutting down.", service="worker")

    def expect(self, job_id: UUID) -> None:
        """The job will be submitted: from now on `has` it."""
        self._expected.add(job_id)

    def forget(self, job_id: UUID) -> None:
        """The expected job will not come after all."""
        self._expected.discard(job_id)

    def submit(self, job_id: UUID, work: Work) -> None:
        """Begin the job; it goes on whatever becomes of the caller."""
        self._expected.discard(job_id)
        if self._group is None:
            raise Unavailable("The server is shutting down.", service="worker")
        task = self._group.create_task(self._guarded(job_id, work))
        self._jobs[job_id] = _Job(task)

    async def cancel(self, job_id: UUID, reason: str) -> bool:
        """Stop the job and return once it has ended; False where it is not under way here."""
        job = self._jobs.get(job_id)
        if job is None:
            return False
        self._cancel(job_id, reason)
        await asyncio.wait([job.task])
        return True

    def has(self, job_id: UUID) -> bool:
        """Whether the job is under way in this process, or about to be."""
        return job_id in self._jobs or job_id in self._expected

    def ids(self) -> tuple[UUID, ...]:
        """The jobs under way."""
        return tuple(self._jobs)

    def count(self) -> int:
        """How many jobs are under way."""
        return len(self._jobs)

    def _cancel(self, job_id: UUID, reason: str) -> None:
        """Cancel once: a second wish must not cut short what the first one set going.

        A task that is cancelled before its first step would never run at all, and so never
        say how it ended: it is left to begin, and stops at its first wait.
        """
        job = self._jobs[job_id]
        if job.reason is not None:
            return
        job.reason = reason
        if job.begun:
            job.task.cancel()

    def _reason(self, job_id: UUID) -> str:
        job = self._jobs.get(job_id)
        return job.reason if job is not None and job.reason is not None else "shutdown"

    async def _guarded(self, job_id: UUID, work: Work) -> None:
        job = self._jobs[job_id]
        job.begun = True
        if job.reason is not None:
            job.task.cancel()
        try:
            await work(lambda: self._reason(job_id))
        except Exception:  # border: one job's end is not the worker's
            log.exception("job_failed", job_id=str(job_id))
        finally:
            self._jobs.pop(job_id, None)
            if self._freed is not None:
                self._freed()
