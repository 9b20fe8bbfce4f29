"""One answer of the fake provider on its way out: paced, cut or stalled as told."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

import msgspec

from tests.fakes.provider.answer import STAMP, Answer, Tokens
from tests.fakes.provider.request import ChatBody
from tests.fakes.provider.scenario import Scenario

if TYPE_CHECKING:
    from tests.fakes.provider.protocol import Connection

_STREAM_HEAD = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\n"
    b"cache-control: no-cache\r\ntransfer-encoding: chunked\r\n\r\n"
)
_body_decoder = msgspec.json.Decoder(ChatBody)


class Reply:
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
