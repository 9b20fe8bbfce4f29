"""Serves the script as an OpenAI-compatible endpoint, in-process: the bytes are real."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final

from callsheet.kit.deadline import Deadline
from callsheet.kit.ids import new_id
from callsheet.kit.json import decode, encode
from callsheet.llm.chat import Timeouts
from callsheet.llm.openai_compat.transport import Response
from callsheet.llm.rehearsal.prompt import read_prompt
from callsheet.llm.rehearsal.script import Call, Say, answer_to
from callsheet.llm.tokens import estimate_messages, estimate_tokens

_PIECE: Final = re.compile(r"\s*\S{1,12}\s?|\s+", re.DOTALL)


class RehearsalTransport:
    """A `Transport` without a network.

    `pace_s`: how long a piece of text takes, so that a watcher sees it stream.
    """

    def __init__(self, pace_s: float = 0.0) -> None:
        self._pace_s = pace_s

    @asynccontextmanager
    async def post(
        self,
        url: str,
        headers: Mapping[str, str],
        body: bytes,
        *,
        timeouts: Timeouts,
        deadline: Deadline,
    ) -> AsyncIterator[Response]:
        """See `Transport.post`; there is nothing here that could fail or be late."""
        yield _Scripted(decode(body), self._pace_s)

    async def aclose(self) -> None:
        """Nothing to close."""


class _Scripted:
    """The response to one request."""

    def __init__(self, body: Mapping[str, Any], pace_s: float) -> None:
        streamed = bool(body.get("stream"))
        self.status = 200
        self.headers: Mapping[str, str] = {
            "Content-Type": "text/event-stream" if streamed else "application/json"
        }
        self._chunks = streamed_answer(body) if streamed else iter([whole_answer(body)])
        self._pace_s = pace_s

    async def read(self) -> bytes:
        await asyncio.sleep(self._pace_s)
        return next(self._chunks, b"")

    async def drain(self, seconds: float) -> None:
        """Nothing is left."""


def streamed_answer(body: Mapping[str, Any]) -> Iterator[bytes]:
    """The answer to a request as server-sent events, one chunk each."""
    answer = answer_to(read_prompt(body))
    head = {"id": _answer_id(), "object": "chat.completion.chunk", "model": "rehearsal"}

    def event(**more: Any) -> bytes:
        return b"data: " + encode({**head, **more}) + b"\n\n"

    def choice(delta: Mapping[str, Any], reason: str | None = None) -> bytes:
        return event(choices=[{"index": 0, "delta": delta, "finish_reason": reason}])

    yield choice({"role": "assistant", "content": ""})
    if isinstance(answer, Say):
        for piece in _PIECE.findall(answer.text):
            yield choice({"content": piece})
    else:
        yield choice({"tool_calls": [{"index": 0, **_call(answer)}]})
    yield choice({}, _reason(answer))
    yield event(choices=[], usage=_usage(body, answer))
    yield b"data: [DONE]\n\n"


def whole_answer(body: Mapping[str, Any]) -> bytes:
    """The answer to a request as one JSON object."""
    answer = answer_to(read_prompt(body))
    message: dict[str, Any] = {"role": "assistant", "content": None}
    if isinstance(answer, Say):
        message["content"] = answer.text
    else:
        message["tool_calls"] = [_call(answer)]
    return encode(
        {
            "id": _answer_id(),
            "object": "chat.completion",
            "model": "rehearsal",
            "choices": [{"index": 0, "message": message, "finish_reason": _reason(answer)}],
            "usage": _usage(body, answer),
        }
    )


def _answer_id() -> str:
    return f"rehearsal-{new_id().hex}"


def _call(answer: Call) -> dict[str, Any]:
    function = {"name": answer.need.name, "arguments": answer.arguments}
    return {"id": f"call_{new_id().hex}", "type": "function", "function": function}


def _reason(answer: Say | Call) -> str:
    return "stop" if isinstance(answer, Say) else "tool_calls"


def _usage(body: Mapping[str, Any], answer: Say | Call) -> dict[str, int]:
    asked = estimate_messages(body.get("messages") or (), body.get("tools") or ())
    text = answer.text if isinstance(answer, Say) else answer.need.name + answer.arguments
    said = estimate_tokens(text)
    return {"prompt_tokens": asked, "completion_tokens": said, "total_tokens": asked + said}
