"""The journal's own connection: opened when needed, again when lost, and honest about it."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator

import asyncpg
import pytest

from callsheet.db.driver import DriverConnection
from callsheet.db.driver_pool import DriverPool
from callsheet.db.options import DatabaseOptions
from callsheet.kit.errors import Unavailable
from tests.fixtures.database import statement

PID = "SELECT pg_backend_pid()"
ADD = "INSERT INTO users (name) VALUES ($1)"


@pytest.fixture
async def driver(database_url: str) -> AsyncIterator[DriverConnection]:
    connection = DriverConnection(DatabaseOptions(database_url, application_name="tester"))
    yield connection
    await connection.close()


async def names(driver: DriverConnection) -> list[str]:
    async with driver.statement() as connection:
        return [row["name"] for row in await connection.fetch("SELECT name FROM users")]


async def pid(driver: DriverConnection) -> int:
    async with driver.statement() as connection:
        return int(await connection.fetchval(PID))


async def terminate(database_url: str, backend: int) -> None:
    """End a connection of the server's and wait until it is gone."""
    await statement(database_url, f"SELECT pg_terminate_backend({backend}, 5000)")


async def test_one_connection_is_kept_and_named(driver: DriverConnection) -> None:
    async with driver.transaction() as tx:
        first = await tx.fetchval(PID)
        assert await tx.fetchval("SHOW application_name") == "tester-journal"
        assert await tx.fetchval("SHOW timezone") == "UTC"
    assert await pid(driver) == first


async def test_a_transaction_is_kept_whole_or_not_at_all(driver: DriverConnection) -> None:
    async with driver.transaction() as tx:
        await tx.execute(ADD, "ada")

    async def write_and_fail() -> None:
        async with driver.transaction() as tx:
            await tx.execute(ADD, "eve")
            raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        await write_and_fail()
    assert await names(driver) == ["ada"]


async def test_a_single_statement_is_its_own_transaction(driver: DriverConnection) -> None:
    async with driver.statement() as connection:
        assert not connection.is_in_transaction()
        await connection.execute(ADD, "ada")
    assert await names(driver) == ["ada"]


@pytest.mark.parametrize("way", ["transaction", "statement"])
async def test_a_connection_that_was_cut_in_between_is_opened_again(
    driver: DriverConnection, database_url: str, way: str
) -> None:
    cut = await pid(driver)
    await terminate(database_url, cut)
    block = driver.transaction if way == "transaction" else driver.statement
    async with block() as connection:
        await connection.execute(ADD, "kept")
    assert await names(driver) == ["kept"]
    assert await pid(driver) != cut


@pytest.mark.parametrize("way", ["transaction", "statement"])
async def test_a_cut_in_the_middle_is_unavailable_once_and_leaves_nothing_half_done(
    driver: DriverConnection, database_url: str, way: str
) -> None:
    block = driver.transaction if way == "transaction" else driver.statement

    async def cut_in_the_middle() -> None:
        async with block() as connection:
            if way == "transaction":
                await connection.execute(ADD, "half")
            await terminate(database_url, await connection.fetchval(PID))
            await connection.execute(ADD, "rest")

    with pytest.raises(Unavailable) as failure:
        await cut_in_the_middle()
    assert failure.value.extra == {"service": "database"}
    assert await names(driver) == []


async def test_a_deadlock_that_is_broken_at_our_cost_may_be_tried_again(
    driver: DriverConnection,
) -> None:
    with pytest.raises(Unavailable):
        async with driver.transaction():
            raise asyncpg.DeadlockDetectedError("deadlock detected")


@pytest.mark.parametrize(
    "error",
    [
        asyncpg.CrashShutdownError,
        asyncpg.IdleSessionTimeoutError,
        asyncpg.InternalClientError,
    ],
)
async def test_a_server_that_ends_the_connection_is_away(
    driver: DriverConnection, error: type[Exception]
) -> None:
    with pytest.raises(Unavailable):
        async with driver.statement():
            raise error("terminating connection")


async def test_a_mistake_in_a_statement_is_not_the_server_being_away(
    driver: DriverConnection,
) -> None:
    with pytest.raises(asyncpg.UndefinedTableError):
        async with driver.transaction() as tx:
            await tx.execute("SELECT * FROM nowhere")
    with pytest.raises(asyncpg.DataError):
        async with driver.statement() as connection:
            await connection.execute("SELECT $1::uuid", "no uuid")
    assert await names(driver) == []


async def test_a_statement_over_its_limit_is_unavailable_and_the_connection_is_given_up(
    database_url: str,
) -> None:
    driver = DriverConnection(DatabaseOptions(database_url, statement_timeout_s=0.05))
    with pytest.raises(Unavailable):
        async with driver.statement() as connection:
            await connection.execute("SELECT pg_sleep(20)")
    assert await names(driver) == []
    await driver.close()


async def test_nobody_at_the_address_is_unavailable() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        driver = DriverConnection(DatabaseOptions(f"postgresql://nobody@127.0.0.1:{port}/none"))
        with pytest.raises(Unavailable, match="does not answer"):
            async with driver.transaction():
                pass
        with pytest.raises(Unavailable, match="does not answer"):
            async with driver.statement():
                pass
        await driver.close()


async def test_closing_twice_is_closing_once(driver: DriverConnection) -> None:
    first = await pid(driver)
    await driver.close()
    await driver.close()
    assert await pid(driver) != first


async def test_a_value_that_no_column_holds_is_not_a_server_that_is_away(
    driver: DriverConnection,
) -> None:
    before = await pid(driver)
    with pytest.raises(asyncpg.DataError, match="int32"):
        async with driver.statement() as connection:
            await connection.fetchval("SELECT $1::int", 2**31)
    assert await pid(driver) == before


@pytest.mark.parametrize("code", ["53100", "53200", "25006", "57014", "40P01"])
async def test_a_server_that_cannot_now_may_be_asked_again(
    driver: DriverConnection, code: str
) -> None:
    refuse = f"DO $$ BEGIN RAISE EXCEPTION 'not now' USING ERRCODE = '{code}'; END $$"
    with pytest.raises(Unavailable):
        async with driver.transaction() as tx:
            await tx.execute(refuse)
    assert await names(driver) == []


@pytest.mark.parametrize("way", ["closed", "stopped"])
async def test_what_is_given_up_while_it_is_opened_leaves_nothing_open(
    database_url: str, driver: DriverConnection, way: str
) -> None:
    options = DatabaseOptions(database_url, application_name=f"opening-{way}")
    for steps in range(1, 40):
        late = DriverConnection(options)
        asking = asyncio.ensure_future(pid(late))
        for _ in range(steps):
            await asyncio.sleep(0)
        await late.close()
        if way == "stopped":
            asking.cancel()
        await asyncio.wait([asking])
    count = "SELECT count(*) FROM pg_stat_activity WHERE application_name = $1"
    async with asyncio.timeout(20), driver.statement() as connection:
        while await connection.fetchval(count, f"opening-{way}-journal"):
            await asyncio.sleep(0.01)


async def test_a_closed_pool_opens_nothing(database_url: str) -> None:
    pool = DriverPool(DatabaseOptions(database_url), size=1)
    async with pool.transaction() as tx:
        assert await tx.fetchval("SELECT 1") == 1
    await pool.close()
    with pytest.raises(Unavailable):
        async with pool.transaction():
            pass
