"""A server that answers with exactly the bytes it is told, in exactly these pieces."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Final

HEAD: Final = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"


@dataclass(frozen=True)
class Pause:
    """Wait before the next piece."""

    seconds: float


@dataclass(frozen=True)
class Reset:
    """Cut the connection hard."""


@dataclass(frozen=True)
class Hang:
    """Send nothing until the client leaves."""


Step = bytes | Pause | Reset | Hang


@dataclass
class ByteServer:
    """`steps` are played to each request; `requests` holds head and body of each that came."""

    steps: Sequence[Step]
    requests: list[bytes] = field(default_factory=list)
    connections: int = 0
    left: asyncio.Event = field(default_factory=asyncio.Event)
    hanging: asyncio.Event = field(default_factory=asyncio.Event)
    port: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            self.requests.append(await _request(reader))
            await self._play(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            self.left.set()
        finally:
            writer.close()

    async def _play(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for step in self.steps:
            if isinstance(step, bytes):
                writer.write(step)
                await writer.drain()
                await asyncio.sleep(0)
            elif isinstance(step, Pause):
                await asyncio.sleep(step.seconds)
            elif isinstance(step, Reset):
                writer.transport.abort()
                return
            else:
                self.hanging.set()
                await reader.read()
                self.left.set()


async def _request(reader: asyncio.StreamReader) -> bytes:
    head = await reader.readuntil(b"\r\n\r\n")
    length = next(
        (
            int(line.split(b":")[1])
            for line in head.lower().split(b"\r\n")
            if line.startswith(b"content-length")
        ),
        0,
    )
    return head + await reader.readexactly(length)


@asynccontextmanager
async def byte_server(*steps: Step) -> AsyncIterator[ByteServer]:
    """A server on a free port of this machine."""
    served = ByteServer(steps)
    server = await asyncio.start_server(served.serve, "127.0.0.1", 0)
    served.port = server.sockets[0].getsockname()[1]
    try:
        yield served
    finally:
        server.close()
        server.close_clients() if hasattr(server, "close_clients") else None


def event(data: str) -> bytes:
    """One server-sent event."""
    return f"data: {data}\n\n".encode()


def status(code: int, body: str = "", *headers: str) -> bytes:
    """A whole response with a JSON body."""
    lines = [f"HTTP/1.1 {code} X", "Content-Type: application/json", *headers]
    lines += [f"Content-Length: {len(body.encode())}", "Connection: close", "", body]
    return "\r\n".join(lines).encode()
