"""The fake provider's HTTP: a bare protocol, so that it can cut, stall and count exactly.

It has to out-run every server under test, so there is no framework in it.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import asdict
from typing import Any, cast

import httptools
import msgspec

from tests.fakes.provider.answer import answer_to
from tests.fakes.provider.reply import Reply
from tests.fakes.provider.request import ChatBody
from tests.fakes.provider.scenario import Scenario
from tests.fakes.provider.state import State
from tests.fakes.provider.stats import Disconnect

_STREAM_HEAD = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\n"
    b"cache-control: no-cache\r\ntransfer-encoding: chunked\r\n\r\n"
)
_body_decoder = msgspec.json.Decoder(ChatBody)


class Connection(asyncio.Protocol):
    """One client's connection; requests on it are answered one after another."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._parser = httptools.HttpRequestParser(self)
        self._task: asyncio.Task[None] | None = None
        self._headers: dict[str, str] = {}
        self._body = bytearray()
        self._url = b""
        self._may_write = asyncio.Event()
        self._may_write.set()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)  # uvloop's is no subclass

    def data_received(self, data: bytes) -> None:
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserError:
            self._transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        self._may_write.set()
        if self._task is not None:
            self._task.cancel()

    def pause_writing(self) -> None:
        self._may_write.clear()

    def resume_writing(self) -> None:
        self._may_write.set()

    # httptools calls these
    def on_message_begin(self) -> None:
        self._headers = {}
        self._body = bytearray()
        self._url = b""

    def on_url(self, url: bytes) -> None:
        self._url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        self._headers[name.decode("latin-1").lower()] = value.decode("latin-1")

    def on_body(self, body: bytes) -> None:
        self._body += body

    def on_message_complete(self) -> None:
        path = self._url.decode("latin-1").partition("?")[0]
        if path.endswith("/chat/completions"):
            self._task = asyncio.get_running_loop().create_task(self._chat(bytes(self._body)))
        else:
            self._control(path, self._parser.get_method(), bytes(self._body))

    def _control(self, path: str, method: bytes, body: bytes) -> None:
        state = self._state
        if path == "/control" and method == b"PUT":
            state.scenario = msgspec.json.decode(body, type=Scenario)
            self._json(200, {})
        elif path == "/control/reset":
            state.reset()
            self._json(200, {})
        elif path == "/control/release":
            state.released.set()
            self._json(200, {})
        elif path == "/control":
            self._json(200, asdict(state.stats))
        elif path.endswith("/models"):
            self._json(200, {"object": "list", "data": [{"id": "fake", "object": "model"}]})
        else:
            self._json(404, {"error": {"message": f"nothing at {path}"}})

    def _json(self, status: int, value: Any, more: str = "") -> None:
        data = msgspec.json.encode(value)
        head = (
            f"HTTP/1.1 {status} Told\r\ncontent-type: application/json\r\n"
            f"content-length: {len(data)}\r\n{more}\r\n"
        )
        self._transport.write(head.encode() + data)

    async def _chat(self, raw: bytes) -> None:
        stats = self._state.stats
        stats.requests += 1
        stats.open += 1
        stats.max_open = max(stats.max_open, stats.open)
        number = stats.requests
        if self._state.keep:
            stats.bodies.append(msgspec.json.decode(raw))
            stats.headers.append(self._headers)
            del stats.bodies[: -self._state.keep], stats.headers[: -self._state.keep]
        reply = Reply(self, number)
        try:
            await self._answer(reply, _body_decoder.decode(raw), number)
            stats.finished += 1
        except asyncio.CancelledError:
            stats.disconnected.append(Disconnect(number, time.monotonic(), reply.sent))
        finally:
            self._state.stats.open -= 1

    async def _answer(self, reply: Reply, body: ChatBody, number: int) -> None:
        stats = self._state.stats
        scenario = self._state.scenario
        if scenario.rules:
            scenario = scenario.choose(body.conversation())
        struck = self._state.strikes_now(scenario)
        fault = scenario.fault if struck else "none"
        stats.faults += struck
        if fault == "hang":
            await asyncio.Event().wait()
        if scenario.first_byte_s:
            await asyncio.sleep(scenario.first_byte_s)
        if fault == "status":
            wait = f"retry-after: {scenario.retry_after}\r\n" if scenario.retry_after else ""
            error = {"message": "the fake says no", "type": "error", "code": scenario.error_code}
            self._json(scenario.status, {"error": error}, wait)
            return
        if scenario.fault == "blank" and not struck:
            scenario = msgspec.structs.replace(scenario, fault="none")
        answer = answer_to(scenario, body, number)
        if body.stream:
            await reply.stream(answer, scenario, body, fault)
        else:
            reply.whole(answer, scenario, body)
