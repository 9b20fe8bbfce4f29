"""Words that processes send each other through the database, at once and without a table."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import asyncpg
from sqlalchemy import text

from callsheet.db.driver import AWAY
from callsheet.db.engine import plain_url
from callsheet.db.options import DatabaseOptions
from callsheet.db.transaction import Database
from callsheet.kit.errors import Unavailable

_SEND = text("SELECT pg_notify(:channel, :word)")


class Channel:
    """One channel of LISTEN and NOTIFY. A word that nobody listens to is lost."""

    def __init__(self, options: DatabaseOptions, name: str) -> None:
        self._options = options
        self._name = name

    async def send(self, database: Database, word: str) -> None:
        """Tell everybody who listens now, this process too."""
        async with database.transaction() as tx:
            await tx.execute(_SEND, {"channel": self._name, "word": word})

    async def listen(
        self, take: Callable[[str], None], ready: Callable[[], None] | None = None
    ) -> None:
        """Hand every word to `take` until cancelled; `ready` is called once they are heard.

        Raises:
            Unavailable: the connection is lost, or was not to be had.
        """
        lost = asyncio.Event()
        try:
            connection = await asyncpg.connect(
                plain_url(self._options.url), timeout=self._options.connect_timeout_s
            )
        except AWAY as error:
            raise Unavailable("The database does not answer.", service="database") from error
        try:
            connection.add_termination_listener(lambda _: lost.set())

            def heard(_connection: Any, _pid: int, _channel: str, word: object) -> None:
                take(str(word))

            await connection.add_listener(self._name, heard)
            if ready is not None:
                ready()
            await lost.wait()
            raise Unavailable("The database does not answer.", service="database")
        finally:
            connection.terminate()
