"""A connection of its own for the hottest writes: the driver's, without SQLAlchemy between.

The journal commits many times a second while a model speaks; there the layer between costs
more than the statement. Everything else goes through `db.transaction`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, TypeAlias

import asyncpg

from callsheet.db.engine import plain_url
from callsheet.db.joined import Calls, Joined
from callsheet.db.options import DatabaseOptions
from callsheet.kit.errors import Unavailable

if TYPE_CHECKING:
    DriverTx: TypeAlias = asyncpg.Connection[asyncpg.Record]
else:
    DriverTx: TypeAlias = asyncpg.Connection
"""The driver's connection; statements are in Postgres's own form, with $1, $2."""

AWAY = (
    asyncpg.PostgresConnectionError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,  # what it says when the connection breaks at a bad moment
    asyncpg.CannotConnectNowError,
    asyncpg.InsufficientResourcesError,  # a full disk; too many connections
    asyncpg.ReadOnlySQLTransactionError,  # a standby, or a server that only reads for a while
    asyncpg.QueryCanceledError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.IdleSessionTimeoutError,
    asyncpg.DeadlockDetectedError,  # broken at our cost
    OSError,
    TimeoutError,
)
"""The server is away, or could not now: the same write may be tried again."""


class DriverConnection:
    """One connection that is opened when first used and again after it was lost.

    Used by one task at a time.
    """

    def __init__(self, options: DatabaseOptions) -> None:
        self._options = options
        self._connection: DriverTx | None = None
        self._closings = 0
        self._calls: Calls = {}

    async def _open(self) -> DriverTx:
        current = self._connection
        if current is not None and not current.is_closed():
            return current
        options = self._options
        closings = self._closings
        opened = await asyncpg.connect(
            plain_url(options.url),
            timeout=options.connect_timeout_s,
            command_timeout=options.statement_timeout_s,
            server_settings={
                "application_name": f"{options.application_name}-journal",
                "timezone": "UTC",
                "jit": "off",
                # Every key is in an index, and planning anew takes as long as running.
                "plan_cache_mode": "force_generic_plan",
            },
        )
        if closings != self._closings:
            opened.terminate()
            raise ConnectionAbortedError("closed while it was opened")
        self._connection, self._calls = opened, {}
        return opened

    @asynccontextmanager
    async def joined(self) -> AsyncIterator[Joined]:
        """For several statements in one round trip, which are a transaction of their own.

        Raises:
            Unavailable: the server is away; nothing, or all, of them is stored.
        """
        async with self.statement() as connection:
            yield Joined(connection, self._calls)

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[DriverTx]:
        """Everything inside is committed together, or not at all when the block raises.

        Raises:
            Unavailable: the server is away; nothing, or all, of the block is stored.
        """
        async with self.statement() as connection:
            known, calls = len(self._calls), self._calls
            try:
                async with connection.transaction():
                    yield connection
            except BaseException:
                while len(calls) > known:  # functions that were made in it went with it
                    calls.popitem()
                raise

    def join(self, connection: DriverTx) -> Joined:
        """For several statements in one round trip, within the block of `transaction`."""
        return Joined(connection, self._calls)

    @asynccontextmanager
    async def statement(self) -> AsyncIterator[DriverTx]:
        """For exactly one statement, which is its own transaction: one round trip.

        Raises:
            Unavailable: the server is away; the statement is, or is not, stored.
        """
        try:
            yield await self._open()
        except AWAY as error:
            await self.close()
            raise Unavailable("The database does not answer.", service="database") from error

    async def close(self) -> None:
        """Close it at once, also while it is being opened; the next use opens a new one."""
        self._closings += 1
        current, self._connection = self._connection, None
        if current is not None:
            current.terminate()
