from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import asyncpg
import pytest
from sqlalchemy import insert, select, text, update
from sqlalchemy.exc import DBAPIError

from callsheet.db.engine import plain_url
from callsheet.db.options import DatabaseOptions
from callsheet.db.tables.user import User
from callsheet.db.transaction import Database
from callsheet.kit.errors import TimedOut, Unavailable
from tests.fixtures.database import statement


async def names(database: Database) -> list[str]:
    async with database.read() as connection:
        return list(await connection.scalars(select(User.name).order_by(User.name)))


async def test_a_block_that_ends_is_committed(database: Database) -> None:
    async with database.transaction() as tx:
        await tx.execute(insert(User), [{"name": "ada"}, {"name": "bo"}])
    assert await names(database) == ["ada", "bo"]


async def test_a_block_that_raises_leaves_nothing(database: Database) -> None:
    async def write_and_fail() -> None:
        async with database.transaction() as tx:
            await tx.execute(insert(User).values(name="ada"))
            raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        await write_and_fail()
    assert await names(database) == []


async def test_a_read_block_cannot_write(database: Database) -> None:
    with pytest.raises(DBAPIError, match="read-only transaction"):
        async with database.read() as connection:
            await connection.execute(insert(User).values(name="ada"))
    async with database.transaction() as tx:
        await tx.execute(insert(User).values(name="ada"))
    assert await names(database) == ["ada"]


async def test_a_read_block_sees_one_moment(database: Database) -> None:
    async with database.read() as connection:
        before = list(await connection.scalars(select(User.name)))
        async with database.transaction() as tx:
            await tx.execute(insert(User).values(name="ada"))
        after = list(await connection.scalars(select(User.name)))
    assert (before, after) == ([], [])


async def test_moments_are_aware_utc_and_updates_move_updated_at(database: Database) -> None:
    async with database.transaction() as tx:
        created = (
            await tx.execute(
                insert(User).values(name="ada").returning(User.created_at, User.updated_at)
            )
        ).one()
    assert created.created_at.tzinfo is not None
    assert created.created_at.utcoffset() == datetime.now(UTC).utcoffset()
    async with database.transaction() as tx:
        changed = (
            await tx.execute(update(User).values(name="eve").returning(User.updated_at))
        ).one()
    assert changed.updated_at > created.updated_at


async def test_a_statement_over_its_limit_is_timed_out(database_url: str) -> None:
    database = Database.from_options(DatabaseOptions(database_url, statement_timeout_s=0.05))
    with pytest.raises(TimedOut):
        async with database.read() as connection:
            await connection.execute(text("SELECT pg_sleep(5)"))
    await database.close()


async def test_a_database_that_is_away_is_unavailable() -> None:
    database = Database.from_options(DatabaseOptions("postgresql://nobody@127.0.0.1:9/none"))
    with pytest.raises(Unavailable, match="does not answer"):
        await database.ping()
    await database.close()


async def test_a_connection_that_was_cut_is_unavailable_once(database: Database) -> None:
    with pytest.raises(Unavailable):
        async with database.transaction() as tx:
            await tx.execute(text("SELECT pg_terminate_backend(pg_backend_pid())"))
    await database.ping()


async def test_a_pool_without_a_free_connection_is_unavailable(database_url: str) -> None:
    options = DatabaseOptions(database_url, pool_size=1, pool_overflow=0, pool_timeout_s=0.05)
    database = Database.from_options(options)
    async with database.read() as connection:
        await connection.execute(text("SELECT 1"))
        with pytest.raises(Unavailable, match="no free connection"):
            await database.ping()
    await database.close()


async def test_an_error_of_the_block_passes_through(database: Database) -> None:
    with pytest.raises(ConnectionRefusedError):
        async with database.transaction():
            raise ConnectionRefusedError("the model's server")


async def test_a_connection_that_breaks_as_it_is_given_back_is_a_server_that_is_away(
    database: Database, database_url: str
) -> None:
    async def read_and_lose() -> None:
        async with database.read() as tx:
            backend = (await tx.execute(text("SELECT pg_backend_pid()"))).scalar_one()
            await statement(database_url, f"SELECT pg_terminate_backend({backend}, 5000)")

    with pytest.raises(Unavailable):
        await read_and_lose()


async def open_ones(database_url: str, application_name: str) -> int:
    connection = await asyncpg.connect(plain_url(database_url))
    try:
        count = "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE $1 || '%'"
        return int(await connection.fetchval(count, application_name))
    finally:
        await connection.close()


async def until_none_is_open(database_url: str, application_name: str) -> None:
    async with asyncio.timeout(20):
        while await open_ones(database_url, application_name):
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("way", ["close", "let_go"])
async def test_what_is_in_use_when_the_pool_is_given_up_is_closed_when_it_comes_back(
    database_url: str, way: str
) -> None:
    database = Database.from_options(DatabaseOptions(database_url, application_name="given-up"))
    async with database.read() as connection:
        await connection.execute(text("SELECT 1"))
        await getattr(database, way)()
        assert await open_ones(database_url, "given-up") == 1
    await until_none_is_open(database_url, "given-up")
    await database.close()


async def test_a_closed_database_opens_nothing_and_one_that_let_go_does(
    database_url: str,
) -> None:
    database = Database.from_options(DatabaseOptions(database_url))
    await database.ping()
    await database.let_go()
    await database.ping()
    await database.close()
    with pytest.raises(Unavailable):
        await database.ping()


async def test_whoever_is_stopped_while_connecting_leaves_nothing_open(database_url: str) -> None:
    options = DatabaseOptions(database_url, application_name="stopped")
    for steps in range(40):
        database = Database.from_options(options)
        asking = asyncio.ensure_future(database.ping())
        for _ in range(steps):
            await asyncio.sleep(0)
        asking.cancel()
        await asyncio.wait([asking])
        await database.close()
    await until_none_is_open(database_url, "stopped")


async def test_what_was_to_be_stored_is_in_no_error(database: Database) -> None:
    async def write_wrongly() -> None:
        async with database.transaction() as tx:
            await tx.execute(insert(User), [{"name": "what Ada wrote", "id": "no id"}])

    with pytest.raises(DBAPIError) as caught:
        await write_wrongly()
    assert "SQL parameters hidden" in str(caught.value)
    assert "[parameters:" not in str(caught.value)
