"""The queue in the tables of pgqueuer, whose own worker loop is not used.

A run waits as a job; whoever has a free place claims it, in the transaction that makes the run
its own. So a job is never half taken: there is nothing to recover here when a worker dies, and
the lease of the run says who has it from then on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import timedelta
from typing import Final
from uuid import UUID, uuid4

from pgqueuer.adapters.persistence.queries import Queries
from pgqueuer.core.tm import TaskManager
from pgqueuer.domain.types import JobId, QueueEntrypoint, QueueManagerId
from pgqueuer.ports.driver import Driver
from pgqueuer.ports.repository import EntrypointExecutionParameter

from callsheet.db.transaction import Read, Tx

_RUN: Final = QueueEntrypoint("run")
_UNLIMITED: Final = {_RUN: EntrypointExecutionParameter(concurrency_limit=0)}
_NEVER_HELD: Final = timedelta(days=1)
_FIND: Final = "SELECT id FROM pgqueuer WHERE dedupe_key = $1"


class PgQueuer:
    """Implements `Queue`."""

    def __init__(self) -> None:
        self._me = QueueManagerId(uuid4())

    async def submit(self, tx: Tx, run_id: UUID, priority: int) -> None:
        """As a job that is known by the run's id."""
        await Queries(TxDriver(tx)).enqueue(
            _RUN, run_id.bytes, priority, dedupe_key=str(run_id), on_conflict="skip"
        )

    async def has_any(self, tx: Read) -> bool:
        """Counts its jobs, by an index."""
        return await Queries(TxDriver(tx)).queued_work([_RUN]) > 0

    async def claim(self, tx: Tx, most: int) -> tuple[UUID, ...]:
        """Jobs that another transaction is claiming are passed over."""
        queries = Queries(TxDriver(tx))
        jobs = await queries.dequeue(most, _UNLIMITED, self._me, None, _NEVER_HELD)
        if jobs:
            await queries.log_jobs([(job, "successful", None) for job in jobs])
        return tuple(UUID(bytes=bytes(job.payload)) for job in jobs if job.payload is not None)

    async def cancel(self, tx: Tx, run_id: UUID) -> None:
        """Its job goes."""
        driver = TxDriver(tx)
        ids = [JobId(int(str(row["id"]))) for row in await driver.fetch(_FIND, str(run_id))]
        if ids:
            await Queries(driver).mark_job_as_cancelled(ids)

    async def tidy(self, tx: Tx) -> None:
        """Empty its log: the journal of runs says more."""
        await Queries(TxDriver(tx)).clear_queue_log(_RUN)


class TxDriver(Driver):
    """Runs pgqueuer's statements in a transaction of ours, one at a time."""

    def __init__(self, tx: Tx) -> None:
        self._tx = tx
        self._one_at_a_time = asyncio.Lock()
        self._shutdown = asyncio.Event()

    async def fetch(self, query: str, *args: object) -> list[dict[str, object]]:
        """The rows."""
        async with self._one_at_a_time:
            found = await self._tx.exec_driver_sql(query, args)
            return [dict(row) for row in found.mappings()]

    async def execute(self, query: str, *args: object) -> str:
        """No rows."""
        async with self._one_at_a_time:
            await self._tx.exec_driver_sql(query, args)
        return ""

    async def notify(self, channel: str, payload: str) -> None:
        """Heard once the transaction is committed."""
        await self.execute("SELECT pg_notify($1, $2)", channel, payload)

    async def add_listener(
        self, channel: str, callback: Callable[[str | bytes | bytearray], None]
    ) -> None:
        """A transaction cannot listen: `db.channel` does, and pgqueuer's own loop is not used."""
        raise RuntimeError("A transaction does not listen.")

    @property
    def shutdown(self) -> asyncio.Event:
        """Never set."""
        return self._shutdown

    @property
    def tm(self) -> TaskManager:
        """Has no tasks."""
        return TaskManager()

    async def __aenter__(self) -> TxDriver:
        return self

    async def __aexit__(self, *_: object) -> None:
        """The transaction is the caller's."""
