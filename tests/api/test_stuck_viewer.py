"""A viewer whose connection takes nothing: waited for, then let go."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence

from starlette.types import Message

from callsheet.agui.encoder import Encoder
from callsheet.agui.history import Said
from callsheet.agui.show import SHOW_EVERYTHING
from callsheet.api.stream_response import StreamResponse
from callsheet.events.entry import Entry
from tests.agui.encoded import IDS
from tests.agui.frames import read_frames
from tests.agui.journal import RUN, whole_run

PING_AFTER_S = 0.02


async def nothing_said() -> Sequence[Said]:
    return ()


class Connection:
    """Takes bodies while it is `open`."""

    def __init__(self) -> None:
        self.open = asyncio.Event()
        self.blocked = asyncio.Event()
        self.closed = asyncio.Event()
        self.sent: list[bytes] = []

    async def entries(self) -> AsyncGenerator[tuple[Entry, ...], None]:
        run = whole_run()
        try:
            for at in range(0, len(run), 4):
                yield run[at : at + 4]
        finally:
            self.closed.set()

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.body":
            if not self.open.is_set():
                self.blocked.set()
                await self.open.wait()
            self.sent.append(message["body"])

    async def receive(self) -> Message:
        await asyncio.Event().wait()
        raise AssertionError

    def shown(self) -> asyncio.Task[None]:
        encoder = Encoder(RUN, IDS, "1.0", SHOW_EVERYTHING)
        answer = StreamResponse(self.entries(), encoder, {}, PING_AFTER_S, nothing_said)
        return asyncio.ensure_future(answer({"type": "http"}, self.receive, self.send))


async def test_a_connection_that_takes_nothing_for_long_is_let_go() -> None:
    connection = Connection()
    async with asyncio.timeout(10):
        await connection.shown()
    assert connection.closed.is_set()
    assert connection.sent == []


async def test_one_that_takes_everything_a_little_later_gets_everything_once() -> None:
    connection = Connection()
    async with asyncio.timeout(10):
        shown = connection.shown()
        await connection.blocked.wait()
        await asyncio.sleep(3 * PING_AFTER_S)  # nothing is said to it meanwhile, not even a ping
        connection.open.set()
        await shown
    data = b"".join(connection.sent)
    encoder = Encoder(RUN, IDS, "1.0", SHOW_EVERYTHING)
    assert read_frames(data) == read_frames(encoder.encode(whole_run()))
    assert b": ping" not in data
