"""A worker is alive for as long as its connection is, however it ends."""

from __future__ import annotations

import asyncio

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from callsheet.db.migrate import migrate
from callsheet.db.options import DatabaseOptions
from callsheet.db.transaction import Database
from callsheet.kit.errors import Unavailable
from callsheet.runs.worker_locks import WorkerLock, is_alive, lock_key
from tests.fixtures.database import statement
from tests.sessions.rows import change, rows

HERE = "database = (SELECT oid FROM pg_database WHERE datname = current_database())"
HOLDERS = f"SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted AND {HERE}"


async def alive(database: Database, worker_id: str | None) -> bool:
    async with database.read() as tx:
        return await is_alive(tx, worker_id)


async def test_a_worker_is_alive_inside_its_block_and_no_longer(database: Database) -> None:
    async with WorkerLock(database, "host:1:a"):
        assert await alive(database, "host:1:a")
        assert not await alive(database, "host:1:b")
        assert not await alive(database, None)
    await until_dead(database, "host:1:a")


async def test_a_block_that_fails_frees_its_lock(database: Database) -> None:
    try:
        async with WorkerLock(database, "failing"):
            raise KeyError("x")
    except KeyError:
        await until_dead(database, "failing")


async def test_names_whose_number_is_negative_are_told_apart_too(database: Database) -> None:
    names = [f"w{number}" for number in range(20)]
    negative = next(name for name in names if lock_key(name) < 0)
    positive = next(name for name in names if lock_key(name) > 0)
    async with WorkerLock(database, negative):
        assert await alive(database, negative)
        assert not await alive(database, positive)
    async with WorkerLock(database, positive):
        assert await alive(database, positive)


async def test_a_worker_whose_connection_was_killed_is_dead(
    database: Database, database_url: str
) -> None:
    async with WorkerLock(database, "killed"):
        async with database.read() as tx:
            (pid,) = (await tx.execute(text(HOLDERS))).scalars()
        await statement(database_url, f"SELECT pg_terminate_backend({pid}, 5000)")
        assert not await alive(database, "killed")


async def test_a_worker_notices_that_its_lock_is_gone_and_takes_it_anew(
    database: Database, database_url: str
) -> None:
    async with WorkerLock(database, "back") as lock:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(lock.lost(), 0.05)
        async with database.read() as tx:
            (pid,) = (await tx.execute(text(HOLDERS))).scalars()
        await statement(database_url, f"SELECT pg_terminate_backend({pid}, 5000)")
        await asyncio.wait_for(lock.lost(), 5)
        await lock.take()
        assert await alive(database, "back")
    await until_dead(database, "back")


async def test_a_worker_that_is_not_heard_of_for_its_lease_is_dead_although_it_holds_its_lock(
    database: Database,
) -> None:
    async with WorkerLock(database, "frozen", lease_s=30) as lock:
        await change(database, "UPDATE workers SET heartbeat_at = now() - interval '29 s'")
        assert await alive(database, "frozen")
        await change(database, "UPDATE workers SET heartbeat_at = now() - interval '31 s'")
        assert not await alive(database, "frozen")
        await lock.beat()
        assert await alive(database, "frozen")


async def test_a_worker_says_what_it_is_and_that_it_is_about_to_end(database: Database) -> None:
    shown = "SELECT id, kind, draining FROM workers"
    async with WorkerLock(database, "me", kind="worker") as lock:
        assert await rows(database, shown) == [("me", "worker", False)]
        await lock.beat(draining=True)
        assert await rows(database, shown) == [("me", "worker", True)]
    assert await rows(database, shown) == []


async def test_a_beat_without_a_connection_is_told_and_the_lock_is_taken_anew(
    database: Database, database_url: str
) -> None:
    async with WorkerLock(database, "cut") as lock:
        async with database.read() as tx:
            (pid,) = (await tx.execute(text(HOLDERS))).scalars()
        await statement(database_url, f"SELECT pg_terminate_backend({pid}, 5000)")
        with pytest.raises(Unavailable):
            await lock.beat()
        await lock.take()
        await lock.beat()
        assert await alive(database, "cut")


async def test_workers_of_one_database_do_not_count_in_another(
    database: Database, empty_database_url: str
) -> None:
    await migrate(empty_database_url)
    elsewhere = Database.from_options(DatabaseOptions(empty_database_url), pooled=False)
    async with WorkerLock(elsewhere, "elsewhere"):
        assert await alive(elsewhere, "elsewhere")
        assert not await alive(database, "elsewhere")
        await change(
            database,
            "INSERT INTO workers (id, kind, lock_key, lease_ms) "
            "VALUES ('elsewhere', 'serve', :key, 30000)",
            key=lock_key("elsewhere"),
        )
        assert not await alive(database, "elsewhere")
    await elsewhere.close()


async def test_any_number_of_workers_are_alive_at_once(database: Database) -> None:
    async with WorkerLock(database, "one"), WorkerLock(database, "two"):
        assert await alive(database, "one")
        assert await alive(database, "two")


async def until_dead(database: Database, worker_id: str) -> None:
    """The server needs a moment to see that a connection was closed."""
    async with asyncio.timeout(10):
        while await alive(database, worker_id):
            await asyncio.sleep(0.01)


async def test_who_cannot_have_the_lock_keeps_no_connection(
    database: Database, database_url: str
) -> None:
    options = DatabaseOptions(
        database_url, application_name="without-lock", statement_timeout_s=0.05
    )
    elsewhere = Database.from_options(options)
    mine = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'without-lock'"
    async with WorkerLock(database, "taken"):
        lock = WorkerLock(elsewhere, "taken")
        with pytest.raises(DBAPIError, match="statement timeout"):
            await lock.__aenter__()
        async with asyncio.timeout(10):
            while await rows(database, mine) != [(0,)]:
                await asyncio.sleep(0.01)
    await elsewhere.close()
