"""The embedded server for async code: nothing here blocks the event loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from callsheet.db.embedded.options import EmbeddedOptions
from callsheet.db.embedded.server import Abandoned, Server


class EmbeddedPostgres:
    """One process's use of the embedded server.

    Many processes may use the same data folder at once: the first starts the server, the last
    one out stops it. A process that is killed counts as gone; a server that nobody is left to
    stop is found and used by the next one.
    """

    def __init__(self, options: EmbeddedOptions) -> None:
        self._server = Server(options)
        self._turn = threading.Lock()  # one thread at a time is inside the server object

    @property
    def url(self) -> str:
        """The address; only useful between `start` and `stop`."""
        return self._server.url

    async def start(self) -> str:
        """The address of a server that answers; SetupError when there can be none.

        Safe to call again: revives a server that died meanwhile. A cancelled start still has to
        be followed by `stop`.
        """
        try:
            await asyncio.to_thread(self._locked_join)
        except asyncio.CancelledError:
            self._server.abandon()
            raise
        return self._server.url

    async def stop(self) -> None:
        """Leave the server; stops it when nobody else uses it. Safe to call twice."""
        await asyncio.to_thread(self._locked_leave)

    def _locked_join(self) -> None:
        with self._turn:
            try:
                self._server.join()
            except Abandoned:
                return  # the start was cancelled: nobody is waiting for this thread

    def _locked_leave(self) -> None:
        with self._turn:
            self._server.leave()


@asynccontextmanager
async def embedded_postgres(options: EmbeddedOptions) -> AsyncIterator[str]:
    """A running server for the length of the block; the value is its address."""
    embedded = EmbeddedPostgres(options)
    try:
        yield await embedded.start()
    finally:
        await embedded.stop()
