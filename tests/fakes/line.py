"""A line to a server, for a client that is to lose it: it can be cut, and mended again."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Self


class Line:
    """`async with`: what comes to `port` goes to `to_port`, both on this machine."""

    def __init__(self, to_port: int) -> None:
        self.port = 0
        self.refused = 0
        self._to_port = to_port
        self._is_cut = False
        self._writers: set[asyncio.StreamWriter] = set()
        self._server: asyncio.Server | None = None

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._carry, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.cut()
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()

    def cut(self) -> None:
        """Break every connection, and each new one, until it is mended."""
        self._is_cut = True
        for writer in self._writers:
            writer.transport.abort()

    def mend(self) -> None:
        """Carry what comes from now on."""
        self._is_cut = False

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._is_cut:
            self.refused += 1
            writer.transport.abort()
            return
        there = await asyncio.open_connection("127.0.0.1", self._to_port)
        both = {writer, there[1]}
        self._writers |= both
        try:
            async with asyncio.TaskGroup() as ways:
                ways.create_task(_copy(reader, there[1]))
                ways.create_task(_copy(there[0], writer))
        finally:
            self._writers -= both
            for end in both:
                end.transport.abort()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
    except ConnectionError:
        pass
    writer.close()
