"""The one place that opens, commits and rolls back."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import TypeAlias

from asyncpg.exceptions import (
    CannotConnectNowError,
    ConnectionDoesNotExistError,
    PostgresConnectionError,
    QueryCanceledError,
    TooManyConnectionsError,
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

_AWAY = (
    CannotConnectNowError,
    ConnectionDoesNotExistError,
    PostgresConnectionError,
    TooManyConnectionsError,
    OSError,
    TimeoutError,
)


class Database:
    """The database as stores see it: `transaction()` to write, `read()` to read.

    Neither may be open while a model or a tool works. A connection that cannot be had is
    `Unavailable`, a statement over its time limit `TimedOut`.
    """

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

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
        with _told_apart():
            async with self._engine.connect() as connection:
                yield connection
                await connection.commit()

    @asynccontextmanager
    async def read(self) -> AsyncIterator[Read]:
        """One unchanging view of the data for all statements inside; writing is refused."""
        with _told_apart():
            async with self._engine.connect() as connection:
                await connection.execution_options(
                    isolation_level="REPEATABLE READ", postgresql_readonly=True
                )
                yield connection

    async def ping(self) -> None:
        """Return when the database answers; raise `Unavailable` when it does not."""
        async with self.read() as connection:
            await connection.execute(text("SELECT 1"))

    async def close(self) -> None:
        """Close every connection; safe to call twice."""
        await self._engine.dispose()


@contextmanager
def _told_apart() -> Iterator[None]:
    """Turn a lost or refused connection into `Unavailable`, a cut statement into `TimedOut`.

    Only errors of the driver are looked at: what the block itself raises passes through.
    """
    try:
        yield
    except PoolTimeout as error:
        raise Unavailable("The database has no free connection.", service="database") from error
    except DBAPIError as error:
        cause = error.orig.__cause__ if error.orig is not None else None
        if isinstance(cause, QueryCanceledError):
            raise TimedOut("The database took too long to answer.", service="database") from error
        if error.connection_invalidated or isinstance(cause, _AWAY):
            raise Unavailable("The database does not answer.", service="database") from error
        raise
