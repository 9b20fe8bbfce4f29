"""One container: it is used for one program and then gone."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncGenerator
from typing import Final, Protocol, Self

from callsheet.tools.sandbox.frames import Frame, FrameReader
from callsheet.tools.sandbox.inside.wire import READY
from callsheet.tools.sandbox.protocol import SandboxUnavailable

_READ: Final = 65_536


class Box(Protocol):
    """A started container whose runner waits for a program."""

    @property
    def is_alive(self) -> bool:
        """Whether nothing has ended it so far, as far as is known."""
        ...

    def frames(self, request: bytes, nonce: bytes) -> AsyncGenerator[list[Frame]]:
        """Send the request, then give what comes, together what came together; ends with it.

        `nonce` is what the frames begin with from now on.
        """
        ...

    async def unplug(self) -> None:
        """Take it off its network; SandboxUnavailable where that cannot be done."""
        ...

    def remove(self) -> None:
        """Kill it, and have it gone; returns at once, and may be called again."""
        ...


class Container(Protocol):
    """What can be done to the container behind a stream."""

    def remove(self) -> None:
        """As `Box` has it."""
        ...

    async def unplug(self) -> None:
        """As `Box` has it."""
        ...


class StreamBox:
    """Implements `Box` over the raw stream that is attached to a container."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        container: Container,
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._container = container
        self._frames = FrameReader()
        self._removed = False

    @classmethod
    async def over(cls, raw: socket.socket, container: Container) -> Self:
        """A box over the socket, which it owns from now on."""
        raw.settimeout(0)
        opened = (
            asyncio.open_unix_connection(sock=raw)
            if raw.family == socket.AF_UNIX
            else asyncio.open_connection(sock=raw)
        )
        reader, writer = await opened
        return cls(reader, writer, container)

    @property
    def is_alive(self) -> bool:
        """As the protocol says; the loop notices the end of the stream by itself."""
        is_lost = self._reader.at_eof() or self._reader.exception() is not None
        return not self._removed and not is_lost

    async def ready(self) -> None:
        """Return when the runner waits for a program."""
        async with contextlib.aclosing(self._read()) as read:
            async for frames in read:
                if any(frame.kind == READY for frame in frames):
                    return
        raise SandboxUnavailable(f"The sandbox's runner did not start. {self._said()}".rstrip())

    async def frames(self, request: bytes, nonce: bytes) -> AsyncGenerator[list[Frame]]:
        """As the protocol says."""
        self._frames.nonce = nonce
        with contextlib.suppress(ConnectionError):  # what is read then says that it is gone
            self._writer.write(request)
            await self._writer.drain()
        async with contextlib.aclosing(self._read()) as read:
            async for frames in read:
                yield frames

    async def unplug(self) -> None:
        """As the protocol says."""
        await self._container.unplug()

    def remove(self) -> None:
        """As the protocol says."""
        if not self._removed:
            self._removed = True
            self._container.remove()
            self._writer.close()

    async def _read(self) -> AsyncGenerator[list[Frame]]:
        while True:
            try:
                data = await self._reader.read(_READ)
            except ConnectionError:
                return
            if not data:
                return
            if frames := list(self._frames.feed(data)):
                yield frames

    def _said(self) -> str:
        lines = self._frames.faults.decode("utf-8", "replace").strip().splitlines()
        return lines[-1][:300] if lines else ""
