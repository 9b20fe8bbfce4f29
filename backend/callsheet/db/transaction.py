"""The one place that opens, commits and rolls back."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from typing import Any, TypeAlias, cast

from asyncpg.exceptions import (
    AdminShutdownError,
    CrashShutdownError,
    InternalClientError,
    PostgresConnectionError,
    PostgresError,
    QueryCanceledError,
)
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from callsheet.db.engine import make_engine
from callsheet.db.options import DatabaseOptions
from callsheet.kit.errors import TimedOut, Unavailable

Tx: TypeAlias = AsyncConnection
"""A connection inside a transaction; stores take it as their first argument."""

Read: TypeAlias = AsyncConnection
"""A connection inside a read-only snapshot; the database refuses to write through it."""

_LOST = (
    PostgresConnectionError,
    AdminShutdownError,
    CrashShutdownError,
    InternalClientError,  # what the driver says when the connection breaks at a bad moment
    OSError,
)


class Database:
    """The database as stores see it: `transaction()` to write, `read()` to read.

    Neither may be open while a model or a tool works. A connection that cannot be had is
    `Unavailable`, a statement over its time limit `TimedOut`.
    """

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self._closed = False

    @classmethod
    def from_options(cls, options: DatabaseOptions, *, pooled: bool = True) -> Database:
        """A database that connects when it is first used."""
        return cls(make_engine(options, pooled=pooled))

    @property
    def engine(self) -> AsyncEngine:
        """The engine, for what is not a statement (LISTEN, COPY, the health of the pool)."""
        return self._engine

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Tx]:
        """Everything inside is committed together, or not at all when the block raises."""
        async with self._connected() as connection:
            yield connection
            await connection.commit()

    @asynccontextmanager
    async def read(self) -> AsyncIterator[Read]:
        """One unchanging view of the data for all statements inside; writing is refused."""
        async with self._connected() as connection:
            await connection.execution_options(
                isolation_level="REPEATABLE READ", postgresql_readonly=True
            )
            yield connection

    @asynccontextmanager
    async def held(self, on_loss: Callable[[], None]) -> AsyncIterator[AsyncConnection]:
        """A connection for locks that live as long as it does; it is closed, never used again.

        `on_loss` is called when it ends, in whatever way.
        """
        async with self._connected() as connection:
            await connection.execution_options(isolation_level="AUTOCOMMIT")
            raw = await connection.get_raw_connection()
            cast(Any, raw.driver_connection).add_termination_listener(lambda _: on_loss())
            try:
                yield connection
            finally:
                await connection.invalidate()

    @asynccontextmanager
    async def _connected(self) -> AsyncIterator[AsyncConnection]:
        if self._closed:
            raise Unavailable("The database is not used any more.", service="database")
        with _at_work():  # and when it is given back, which speaks to the server as well
            async with AsyncExitStack() as stack:
                with _opening():
                    connection = await stack.enter_async_context(self._engine.connect())
                yield connection

    async def ping(self) -> None:
        """Return when the database answers; raise `Unavailable` when it does not."""
        async with self.read() as connection:
            await connection.execute(text("SELECT 1"))

    async def let_go(self) -> None:
        """Close what is free now, and what is in use when it comes back; then connect anew."""
        await self._engine.dispose()

    async def close(self) -> None:
        """Close every connection and open none any more; safe to call twice."""
        self._closed = True
        await self._engine.dispose()


@contextmanager
def _opening() -> Iterator[None]:
    """Turn whatever keeps us from a connection into `Unavailable`."""
    try:
        yield
    except PoolTimeout as error:
        raise Unavailable("The database has no free connection.", service="database") from error
    except (OSError, TimeoutError, PostgresError, DBAPIError) as error:
        raise Unavailable("The database does not answer.", service="database") from error


@contextmanager
def _at_work() -> Iterator[None]:
    """Turn a lost connection into `Unavailable`, a statement that was cut into `TimedOut`.

    Only errors of the driver are looked at: what the block itself raises passes through.
    """
    try:
        yield
    except DBAPIError as error:
        cause = error.orig.__cause__ if error.orig is not None else None
        if isinstance(cause, QueryCanceledError):
            raise TimedOut("The database took too long to answer.", service="database") from error
        if error.connection_invalidated or isinstance(cause, _LOST):
            raise Unavailable("The database does not answer.", service="database") from error
        raise
