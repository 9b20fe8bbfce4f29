"""Runs that wait: claimed by one worker, handed back, expired."""

from __future__ import annotations

from uuid import UUID

import pytest

from callsheet.db.transaction import Database
from callsheet.kit.ids import new_id
from callsheet.runs.lease import Lease
from callsheet.runs.lease_store import lease_of
from callsheet.runs.queue_store import (
    claim_runs,
    count_waiting,
    expired_runs,
    release_run,
    take_overs_of,
)
from tests.journal.stage import gate, remember, wish
from tests.sessions.rows import change

EXPIRED = "UPDATE runs SET expires_at = now() - interval '1 s' WHERE id = :id"


@pytest.fixture
async def run_id(database: Database) -> UUID:
    """A run of the worker w1."""
    await remember(database)
    return (await gate(database).admit(wish(new_id()))).run_id


async def release(database: Database, run_id: UUID, seen: Lease, *, died: bool) -> int | None:
    async with database.transaction() as tx:
        return await release_run(tx, run_id, seen, died=died)


async def claim(database: Database, *run_ids: UUID) -> list[tuple[UUID, Lease]]:
    async with database.transaction() as tx:
        return await claim_runs(tx, run_ids, "w2")


async def test_a_run_that_is_handed_back_waits_and_is_claimed_once(
    database: Database, run_id: UUID
) -> None:
    assert await claim(database, run_id) == []  # w1 has it
    assert await release(database, run_id, Lease("w1", 0), died=False) == 10
    assert await release(database, run_id, Lease("w1", 0), died=False) is None
    async with database.read() as tx:
        assert await count_waiting(tx) == 1
        assert await lease_of(tx, run_id) == Lease(None, 1)
    assert await claim(database, run_id, new_id()) == [(run_id, Lease("w2", 2))]
    assert await claim(database, run_id) == []


async def test_workers_that_died_with_a_run_are_counted(database: Database, run_id: UUID) -> None:
    await release(database, run_id, Lease("w1", 0), died=True)
    await claim(database, run_id)
    await release(database, run_id, Lease("w2", 2), died=False)
    async with database.read() as tx:
        assert await take_overs_of(tx, run_id) == 1
        assert await take_overs_of(tx, new_id()) == 0


async def test_a_run_expires_while_it_waits_and_has_not_begun(
    database: Database, run_id: UUID
) -> None:
    await change(database, EXPIRED, id=run_id)
    async with database.read() as tx:
        assert await expired_runs(tx) == []
    await release(database, run_id, Lease("w1", 0), died=False)
    async with database.read() as tx:
        assert await expired_runs(tx) == [(run_id, Lease(None, 1))]
    assert await claim(database, run_id) == []
    await change(database, "UPDATE runs SET status = 'running'")
    async with database.read() as tx:
        assert await expired_runs(tx) == []
    assert await claim(database, run_id) == [(run_id, Lease("w2", 2))]
