"""A run has one worker: one of many takes it, and who had it writes nothing more."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from uuid import UUID

import pytest
from asyncpg import NotNullViolationError

from callsheet.db.driver import DriverConnection
from callsheet.db.options import DatabaseOptions
from callsheet.db.transaction import Database
from callsheet.events.entry import Entry
from callsheet.events.run import RunStarted
from callsheet.kit.ids import new_id
from callsheet.runs.journal_store import append_events, is_fenced
from callsheet.runs.lease import Lease
from callsheet.runs.lease_store import (
    abandoned_runs,
    forget_dead,
    lease_of,
    runs_of,
    take_over,
    taken_from,
)
from callsheet.runs.worker_locks import WorkerLock
from tests.journal.stage import gate, remember, wish
from tests.sessions.rows import change, rows

BEGIN = RunStarted(workflow="chat", revision="r1", session_id="s", trace_id="t")


@pytest.fixture
async def run_id(database: Database) -> UUID:
    """A run of the worker w1."""
    await remember(database)
    return (await gate(database).admit(wish(new_id()))).run_id


@pytest.fixture
async def journal(database_url: str) -> AsyncIterator[DriverConnection]:
    connection = DriverConnection(DatabaseOptions(database_url))
    yield connection
    await connection.close()


async def append(journal: DriverConnection, run_id: UUID, epoch: int, seq: int = 1) -> None:
    entry = Entry(seq, datetime(2026, 1, 1, tzinfo=UTC), BEGIN)
    async with journal.statement() as connection:
        await append_events(connection, [(run_id, entry)], {run_id: epoch})


async def stored(database: Database) -> list[tuple[object, ...]]:
    return await rows(database, "SELECT seq FROM run_events ORDER BY seq")


async def test_of_many_that_saw_the_same_one_takes_the_run(
    database: Database, run_id: UUID
) -> None:
    taken: list[Lease] = []

    async def attempt(name: str) -> None:
        async with database.transaction() as tx:
            lease = await take_over(tx, run_id, Lease("w1", 0), name)
        if lease is not None:
            taken.append(lease)

    async with asyncio.TaskGroup() as group:
        for number in range(8):
            group.create_task(attempt(f"n{number}"))
    (lease,) = taken
    assert lease.epoch == 1
    async with database.read() as tx:
        assert await lease_of(tx, run_id) == lease
        assert await lease_of(tx, new_id()) is None


@pytest.mark.parametrize("seen", [Lease("w1", 1), Lease("w2", 0), Lease(None, 0)])
async def test_a_run_that_is_not_as_it_was_seen_is_not_taken(
    database: Database, run_id: UUID, seen: Lease
) -> None:
    async with database.transaction() as tx:
        assert await take_over(tx, run_id, seen, "w3") is None
        assert await lease_of(tx, run_id) == Lease("w1", 0)


async def test_a_run_that_has_ended_is_not_taken(database: Database, run_id: UUID) -> None:
    await change(database, "UPDATE runs SET status = 'succeeded'")
    async with database.transaction() as tx:
        assert await take_over(tx, run_id, Lease("w1", 0), "w3") is None


async def test_who_had_the_run_writes_nothing_more(
    database: Database, run_id: UUID, journal: DriverConnection
) -> None:
    await append(journal, run_id, 0)
    async with database.transaction() as tx:
        await take_over(tx, run_id, Lease("w1", 0), "w2")
    with pytest.raises(NotNullViolationError) as refused:
        await append(journal, run_id, 0, seq=2)
    assert is_fenced(refused.value)
    assert await stored(database) == [(1,)]
    await append(journal, run_id, 1, seq=2)
    assert await stored(database) == [(1,), (2,)]


async def test_an_append_that_waits_for_a_take_over_is_refused_after_it(
    database: Database, run_id: UUID, journal: DriverConnection
) -> None:
    async with database.transaction() as tx:
        await take_over(tx, run_id, Lease("w1", 0), "w2")
        late = asyncio.create_task(append(journal, run_id, 0))
        await until_somebody_waits(database)
        assert not late.done()
    with pytest.raises(NotNullViolationError) as refused:
        await late
    assert is_fenced(refused.value)
    assert await stored(database) == []


async def test_an_append_that_was_first_is_kept_and_the_take_over_waits_for_it(
    database: Database, run_id: UUID, journal: DriverConnection
) -> None:
    entry = Entry(1, datetime(2026, 1, 1, tzinfo=UTC), BEGIN)

    async def take() -> None:
        async with database.transaction() as tx:
            await take_over(tx, run_id, Lease("w1", 0), "w2")

    async with journal.transaction() as connection:
        await append_events(connection, [(run_id, entry)], {run_id: 0})
        taking = asyncio.create_task(take())
        await until_somebody_waits(database)
        assert not taking.done()
    await taking
    assert await stored(database) == [(1,)]


async def test_runs_of_the_dead_are_found_and_those_of_the_living_and_of_nobody_are_not(
    database: Database, run_id: UUID
) -> None:
    waiting = (await gate(database).admit(wish(new_id()))).run_id
    await change(database, "UPDATE runs SET worker_id = NULL WHERE id = :id", id=waiting)

    async def abandoned(own: str) -> list[tuple[UUID, Lease]]:
        async with database.read() as tx:
            return await abandoned_runs(tx, own)

    async with WorkerLock(database, "w1"):
        assert await abandoned("w2") == []
        await change(database, "UPDATE workers SET heartbeat_at = now() - interval '31 s'")
        assert await abandoned("w2") == [(run_id, Lease("w1", 0))]
    assert await abandoned("w2") == [(run_id, Lease("w1", 0))]
    assert await abandoned("w1") == []
    async with database.read() as tx:
        assert await runs_of(tx, "w1") == [(run_id, Lease("w1", 0))]
        assert await taken_from(tx, "w2", [run_id, waiting]) == {run_id, waiting}
        assert await taken_from(tx, "w1", [run_id, waiting]) == {waiting}


async def test_a_process_that_is_dead_for_long_is_forgotten(database: Database) -> None:
    async with WorkerLock(database, "alive"):
        await change(
            database,
            "INSERT INTO workers (id, kind, lock_key, lease_ms, heartbeat_at) VALUES "
            "('dead', 'serve', 1, 30000, now() - interval '2 hours'), "
            "('just dead', 'serve', 2, 30000, now() - interval '1 minute')",
        )
        async with database.transaction() as tx:
            await forget_dead(tx)
        assert await rows(database, "SELECT id FROM workers ORDER BY id") == [
            ("alive",),
            ("just dead",),
        ]


async def until_somebody_waits(database: Database) -> None:
    async with asyncio.timeout(10):
        while not await rows(database, "SELECT pid FROM pg_locks WHERE NOT granted"):
            await asyncio.sleep(0.01)
