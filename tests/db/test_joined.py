"""Statements in one round trip: in order, all or none, each seeing what is committed by then."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import asyncpg
import pytest

from callsheet.db.driver import DriverConnection
from callsheet.db.driver_pool import DriverPool
from callsheet.db.joined import Joined
from callsheet.db.options import DatabaseOptions
from callsheet.db.transaction import Database
from tests.sessions.rows import rows

_ADD = "INSERT INTO users (id, name) SELECT * FROM unnest($1::uuid[], $2::text[])"
_NAMES = "SELECT jsonb_agg(name ORDER BY name) FROM users WHERE name LIKE $1::text"
IDS = [f"00000000-0000-0000-0000-00000000000{number}" for number in range(1, 5)]


@pytest.fixture
async def connection(database_url: str) -> AsyncIterator[DriverConnection]:
    connection = DriverConnection(DatabaseOptions(database_url))
    yield connection
    await connection.close()


async def test_statements_run_in_order_and_give_the_last_value(
    database: Database, connection: DriverConnection
) -> None:
    for number in (0, 2):  # the second time the function is there already
        async with connection.joined() as tx:
            await tx.execute(_ADD, IDS[number : number + 1], [f"a{number}"])
            await tx.execute(_ADD, IDS[number + 1 : number + 2], [f"b{number}"])
            await tx.execute("SELECT id FROM users WHERE name = $1::text FOR UPDATE", "a0")
            tx.give(_NAMES, f"%{number}")
            assert await tx.run() == f'["a{number}", "b{number}"]'
    assert await rows(database, "SELECT count(*) FROM users") == [(4,)]


async def test_without_a_last_value_there_is_none(connection: DriverConnection) -> None:
    async with connection.joined() as tx:
        await tx.execute(_ADD, IDS[:1], ["a"])
        assert await tx.run() is None


async def test_all_or_none_is_stored(database: Database, connection: DriverConnection) -> None:
    async with connection.joined() as tx:
        await tx.execute(_ADD, IDS[:1], ["a"])
        await tx.execute(_ADD, IDS[:1], ["b"])
        with pytest.raises(asyncpg.UniqueViolationError):
            await tx.run()
    assert await rows(database, "SELECT count(*) FROM users") == [(0,)]


async def test_a_new_connection_makes_its_functions_anew(connection: DriverConnection) -> None:
    for number in (0, 1):
        async with connection.joined() as tx:
            await tx.execute(_ADD, IDS[number : number + 1], [f"a{number}"])
            await tx.run()
        await connection.close()


async def test_callers_of_a_pool_wait_in_line_and_a_cancelled_one_spoils_nothing(
    database: Database, database_url: str
) -> None:
    pool = DriverPool(DatabaseOptions(database_url), size=2)

    async def add(number: int) -> None:
        async with pool.joined() as tx:
            await tx.execute(_ADD, IDS[number : number + 1], [f"a{number}"])
            await tx.run()

    async def hang() -> None:
        async with pool.joined() as tx:
            await _sleep(tx)

    async with asyncio.TaskGroup() as group:
        hanging = group.create_task(hang())
        await asyncio.sleep(0.05)
        for number in range(4):
            group.create_task(add(number))
        hanging.cancel()
    await pool.close()
    assert await rows(database, "SELECT count(*) FROM users") == [(4,)]


async def _sleep(tx: Joined) -> None:
    await tx.execute("SELECT pg_sleep($1::float8)", 30.0)
    await tx.run()


async def test_what_was_made_in_a_transaction_that_failed_is_made_again(
    database: Database, connection: DriverConnection
) -> None:
    async def add(name: str, then: str) -> None:
        async with connection.transaction() as inside:
            tx = connection.join(inside)
            await tx.execute("INSERT INTO users (name) VALUES ($1::text)", name)
            await tx.run()
            await inside.execute(then)

    with pytest.raises(asyncpg.DivisionByZeroError):
        await add("ada", "SELECT 1 / 0")
    await add("bo", "SELECT 1")
    await add("cid", "SELECT 1")
    assert await rows(database, "SELECT name FROM users ORDER BY name") == [("bo",), ("cid",)]
