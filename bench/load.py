"""The load client: a bare protocol per connection, so that it costs less than what it measures."""

from __future__ import annotations

import asyncio
import itertools
import time
import uuid
from dataclasses import dataclass, field
from typing import cast

import httptools
import msgspec

from bench.turn import Turn


@dataclass(slots=True)
class Load:
    """What a block of turns gave. `wall_s` is that of the whole block."""

    wall_s: float = 0.0
    turns: list[Turn] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


class _Client(asyncio.Protocol):
    """One connection; turns on it run one after another."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._turn: Turn | None = None
        self._done: asyncio.Future[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)  # uvloop's is no subclass
        self._parser = httptools.HttpResponseParser(self)

    def data_received(self, data: bytes) -> None:
        self._parser.feed_data(data)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._done is not None and not self._done.done():
            self._done.set_exception(ConnectionError("the server closed the connection"))

    def on_body(self, body: bytes) -> None:
        if self._turn is not None and self._parser.get_status_code() == 200:
            self._turn.feed(body)

    def on_message_complete(self) -> None:
        if self._done is not None and not self._done.done():
            status = self._parser.get_status_code()
            if status == 200:
                self._done.set_result(None)
            else:
                self._done.set_exception(ConnectionError(f"the server answered {status}"))

    async def run(self, path: str, body: bytes) -> Turn:
        head = (
            f"POST {path} HTTP/1.1\r\nhost: 127.0.0.1:{self._port}\r\n"
            "content-type: application/json\r\naccept: text/event-stream\r\n"
            f"content-length: {len(body)}\r\n\r\n"
        )
        self._done = asyncio.get_running_loop().create_future()
        self._turn = turn = Turn()
        self.transport.write(head.encode() + body)
        await self._done
        self._turn = None
        self._parser = httptools.HttpResponseParser(self)
        return turn


def request_body() -> bytes:
    """A RunAgentInput with one user message, in a session of its own."""
    return msgspec.json.encode(
        {
            "protocolVersion": "1.0",
            "threadId": str(uuid.uuid4()),
            "runId": str(uuid.uuid4()),
            "messages": [{"id": str(uuid.uuid4()), "role": "user", "content": "Tell me of tea."}],
            "state": {},
            "tools": [],
            "context": [],
            "forwardedProps": {},
        }
    )


async def run_load(port: int, path: str, *, turns: int, at_once: int, chunks: int) -> Load:
    """`turns` turns, `at_once` at a time, each on a connection that is kept."""
    loop = asyncio.get_running_loop()
    load = Load()
    tickets = itertools.count()

    async def worker() -> None:
        client: _Client | None = None
        while next(tickets) < turns:
            try:
                if client is None or client.transport.is_closing():
                    _, client = await loop.create_connection(
                        lambda: _Client(port), "127.0.0.1", port
                    )
                turn = await client.run(path, request_body())
            except OSError as error:
                load.problems.append(str(error))
                client = None
                continue
            load.problems += turn.finish(chunks=chunks)
            load.turns.append(turn)
        if client is not None:
            client.transport.close()

    began = time.perf_counter()
    async with asyncio.TaskGroup() as group:
        for _ in range(at_once):
            group.create_task(worker())
    load.wall_s = time.perf_counter() - began
    return load
