"""The fake provider's HTTP: a bare protocol, so that it can cut, stall and count exactly.

It has to out-run every server under test, so there is no framework in it.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import asdict, dataclass, field
from typing import Any, cast

import httptools
import msgspec

from tests.fakes.provider.answer import STAMP, Answer, Tokens, answer_to
from tests.fakes.provider.request import ChatBody
from tests.fakes.provider.scenario import Scenario
from tests.fakes.provider.stats import Disconnect, Stats

_STREAM_HEAD = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\n"
    b"cache-control: no-cache\r\ntransfer-encoding: chunked\r\n\r\n"
)
_body_decoder = msgspec.json.Decoder(ChatBody)


@dataclass(slots=True)
class State:
    """What all connections share. `keep` request bodies are kept, the oldest go first."""

    scenario: Scenario = field(default_factory=Scenario)
    stats: Stats = field(default_factory=Stats)
    keep: int = 0
    strikes: dict[Scenario, int] = field(default_factory=dict)
    released: asyncio.Event = field(default_factory=asyncio.Event)

    def reset(self) -> None:
        """Back to a plain answer, with nothing counted."""
        still_open = self.stats.open
        self.scenario = Scenario()
        self.stats = Stats(open=still_open, max_open=still_open)
        self.strikes = {}
        self.released = asyncio.Event()

    def strikes_now(self, scenario: Scenario) -> bool:
        """True where the scenario's fault is due for this request."""
        if scenario.fault == "none":
            return False
        met = self.strikes[scenario] = self.strikes.get(scenario, 0) + 1
        if met % scenario.fault_every:
            return False
        done = met // scenario.fault_every
        return scenario.fault_times is None or done <= scenario.fault_times


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
        reply = _Reply(self, number)
        try:
            await self._answer(reply, _body_decoder.decode(raw), number)
            stats.finished += 1
        except asyncio.CancelledError:
            stats.disconnected.append(Disconnect(number, time.monotonic(), reply.sent))
        finally:
            self._state.stats.open -= 1

    async def _answer(self, reply: _Reply, body: ChatBody, number: int) -> None:
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


class _Reply:
    """Writes one answer."""

    def __init__(self, connection: Connection, number: int) -> None:
        self._connection = connection
        self._transport = connection._transport
        self._stats = connection._state.stats
        self._number = number
        self.sent = 0

    async def stream(self, answer: Answer, scenario: Scenario, body: ChatBody, fault: str) -> None:
        self._head = (
            f'data: {{"id":"chatcmpl-{self._number}","object":"chat.completion.chunk",'
            f'"created":1700000000,"model":{msgspec.json.encode(body.model).decode()},"choices":['
        ).encode()
        self._transport.write(_STREAM_HEAD)
        cut = fault in {"stall", "drop", "malformed", "error_chunk", "filter", "short"}
        deltas = answer.deltas[: scenario.fault_at] if cut else answer.deltas
        if fault == "empty":
            deltas = ()
        whole = False
        try:
            await self._pieces(deltas, scenario)
            if cut and await self._strike(fault):
                return
            whole = not cut
        finally:
            if not whole and self.sent:
                self._stats.billed.add(self._part(answer))
        if fault != "empty":
            reason = "content_filter" if fault == "filter" else answer.finish_reason
            self._frame(b'{"index":0,"delta":{},"finish_reason":"%s"}' % reason.encode())
        self._usage(answer, scenario, body, whole=not cut)
        self._chunk(b"" if fault == "no_done" else b"data: [DONE]\n\n", last=True)

    async def _pieces(self, deltas: tuple[bytes, ...], scenario: Scenario) -> None:
        loop = asyncio.get_running_loop()
        began = loop.time()
        for start in range(0, len(deltas), scenario.batch):
            if scenario.gap_s and start:
                due = began + scenario.gap_s * (start // scenario.batch)
                await asyncio.sleep(max(0.0, due - loop.time()))
            if not self._connection._may_write.is_set():
                await self._connection._may_write.wait()
            frames = b"".join(
                b'%s{"index":0,"delta":%s,"finish_reason":null}]}\n\n' % (self._head, delta)
                for delta in deltas[start : start + scenario.batch]
            )
            if scenario.stamp:
                frames = frames.replace(STAMP, b"@%d " % time.monotonic_ns())
            self._chunk(frames)
            self.sent += len(deltas[start : start + scenario.batch])
            if scenario.held:
                await self._connection._state.released.wait()

    async def _strike(self, fault: str) -> bool:
        """Do what the fault says after the pieces; True where the answer is over with it."""
        if fault == "stall":
            await asyncio.Event().wait()
        if fault == "short":
            self._chunk(b"", last=True)
            return True
        if fault == "drop":
            self._transport.close()
            return True
        if fault == "malformed":
            self._chunk(b'data: {"id": "chatcmpl", "choices": [{"delta": {"con\n\n')
        if fault == "error_chunk":
            error = b'{"error":{"message":"it broke","type":"server_error","code":"server_error"}}'
            self._chunk(b"data: " + error + b"\n\n", last=True)
            return True
        return False

    def _usage(self, answer: Answer, scenario: Scenario, body: ChatBody, *, whole: bool) -> None:
        tokens = answer.tokens if whole else self._part(answer)
        if whole:
            self._stats.billed.add(tokens)
        asked = body.stream_options is not None and body.stream_options.include_usage
        if scenario.usage == "always" or (scenario.usage == "asked" and asked):
            self._stats.reported.add(tokens)
            data = msgspec.json.encode(tokens.usage())
            self._chunk(self._head + b'],"usage":' + data + b"}\n\n")

    def _part(self, answer: Answer) -> Tokens:
        tokens = answer.tokens
        return Tokens(prompt=tokens.prompt, completion=self.sent, cached=tokens.cached)

    def _frame(self, choice: bytes) -> None:
        self._chunk(self._head + choice + b"]}\n\n")

    def _chunk(self, data: bytes, *, last: bool = False) -> None:
        framed = b"%x\r\n%s\r\n" % (len(data), data) if data else b""
        self._transport.write(framed + (b"0\r\n\r\n" if last else b""))

    def whole(self, answer: Answer, scenario: Scenario, body: ChatBody) -> None:
        """The answer in one piece, for a request that does not stream."""
        message: dict[str, Any] = {"role": "assistant", "content": answer.text or None}
        if answer.tool_calls:
            message["tool_calls"] = answer.tool_calls
        reason = "content_filter" if scenario.fault == "filter" else answer.finish_reason
        value: dict[str, Any] = {
            "id": f"chatcmpl-{self._number}",
            "object": "chat.completion",
            "created": 1700000000,
            "model": body.model,
            "choices": [{"index": 0, "message": message, "finish_reason": reason}],
        }
        self._stats.billed.add(answer.tokens)
        if scenario.usage != "never":
            self._stats.reported.add(answer.tokens)
            value["usage"] = answer.tokens.usage()
        self._connection._json(200, value)
