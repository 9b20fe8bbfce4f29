"""Words that processes send each other through the database, at once and without a table."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Final

import asyncpg
from sqlalchemy import text

from callsheet.db.driver import AWAY, DriverTx
from callsheet.db.engine import plain_url
from callsheet.db.options import DatabaseOptions
from callsheet.db.transaction import Database
from callsheet.kit.errors import Unavailable

_ASK_EVERY_S: Final = 15.0
_SEND = text("SELECT pg_notify(:channel, :word)")
_SAY = "SELECT pg_notify($1, word) FROM unnest($2::text[]) AS word"


class Channel:
    """One channel of LISTEN and NOTIFY. A word that nobody listens to is lost."""

    def __init__(
        self, options: DatabaseOptions, name: str, ask_every_s: float = _ASK_EVERY_S
    ) -> None:
        self._options = options
        self._name = name
        self._ask_every_s = ask_every_s
        self._line: DriverTx | None = None
        self._one_at_a_time = asyncio.Lock()  # a connection does one thing at a time

    async def send(self, database: Database, word: str) -> None:
        """Tell everybody who listens now, this process too."""
        async with database.transaction() as tx:
            await tx.execute(_SEND, {"channel": self._name, "word": word})

    async def say(self, words: Sequence[str]) -> bool:
        """Tell everybody who listens now, over the line that `listen` holds: one round trip.

        False where there is no line; the words are lost then.
        """
        async with self._one_at_a_time:
            line = self._line
            if line is None:
                return False
            try:
                await line.execute(_SAY, self._name, words, timeout=self._options.connect_timeout_s)
            except AWAY:
                line.terminate()  # which `listen` hears of
                return False
            return True

    async def listen(
        self, take: Callable[[str], None], ready: Callable[[], None] | None = None
    ) -> None:
        """Hand every word to `take` until cancelled; `ready` is called once they are heard.

        Raises:
            Unavailable: the connection is lost, or was not to be had.
        """
        try:
            connection = await asyncpg.connect(
                plain_url(self._options.url),
                timeout=self._options.connect_timeout_s,
                command_timeout=self._options.statement_timeout_s,
                server_settings={
                    "application_name": f"{self._options.application_name}-channel",
                    "synchronous_commit": "off",  # a word is not worth waiting for the disk
                },
            )
            try:
                await self._hear(connection, take, ready)
            finally:
                self._line = None
                connection.terminate()
        except AWAY as error:
            raise _away() from error

    async def _hear(
        self, connection: DriverTx, take: Callable[[str], None], ready: Callable[[], None] | None
    ) -> None:
        lost = asyncio.Event()
        connection.add_termination_listener(lambda _: lost.set())

        def heard(_connection: Any, _pid: int, _channel: str, word: object) -> None:
            take(str(word))

        await connection.add_listener(self._name, heard)
        self._line = connection
        if ready is not None:
            ready()
        while not lost.is_set():
            try:
                async with asyncio.timeout(self._ask_every_s):
                    await lost.wait()
            except TimeoutError:  # a line that is cut between the two tells nobody so
                async with self._one_at_a_time:
                    await connection.execute("SELECT 1", timeout=self._options.connect_timeout_s)
        raise _away()


def _away() -> Unavailable:
    return Unavailable("The database does not answer.", service="database")
