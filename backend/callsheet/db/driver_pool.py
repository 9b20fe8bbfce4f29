"""A few connections of the driver's own, for short writes that many callers make at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from callsheet.db.driver import DriverConnection, DriverTx
from callsheet.db.joined import Joined
from callsheet.db.options import DatabaseOptions
from callsheet.kit.errors import Unavailable


class DriverPool:
    """`size` connections at most; each is opened when it is first needed. Callers wait in line."""

    def __init__(self, options: DatabaseOptions, size: int = 4) -> None:
        self._connections = [DriverConnection(options) for _ in range(size)]
        self._closed = False
        self._free: asyncio.LifoQueue[DriverConnection] = asyncio.LifoQueue()
        for connection in self._connections:
            self._free.put_nowait(connection)

    @asynccontextmanager
    async def joined(self) -> AsyncIterator[Joined]:
        """See `DriverConnection.joined`."""
        async with self._one() as connection, connection.joined() as tx:
            yield tx

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[DriverTx]:
        """See `DriverConnection.transaction`."""
        async with self._one() as connection, connection.transaction() as tx:
            yield tx

    @asynccontextmanager
    async def _one(self) -> AsyncIterator[DriverConnection]:
        connection = await self._free.get()
        try:
            if self._closed:
                raise Unavailable("The database is not used any more.", service="database")
            yield connection
        except asyncio.CancelledError:
            await connection.close()  # it may be in the middle of an answer
            raise
        finally:
            self._free.put_nowait(connection)

    async def close(self) -> None:
        """Close every connection at once and open none any more."""
        self._closed = True
        for connection in self._connections:
            await connection.close()
