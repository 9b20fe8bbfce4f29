"""Streams as vendors send them, and what is read from them."""

from __future__ import annotations

import json
from typing import Any

from callsheet.llm.chat import (
    ChatPart,
    HeadPart,
)
from callsheet.llm.openai_compat.answer import StreamedAnswer
from callsheet.llm.openai_compat.faults import Failure

CUT = Failure("provider_cut", "the connection broke")


HEAD = HeadPart("a1", "m")


def chunk(delta: Any = None, reason: str | None = None, **more: Any) -> dict[str, Any]:
    choice: dict[str, Any] = {"index": 0, "delta": delta or {}, "finish_reason": reason}
    return {"id": "a1", "model": "m", "choices": [choice], **more}


def stream_of(*chunks: Any, done: bool = True) -> bytes:
    texts = [item if isinstance(item, str) else json.dumps(item) for item in chunks]
    return "".join(f"data: {text}\n\n" for text in [*texts, *(["[DONE]"] if done else [])]).encode()


def read(
    data: bytes, size: int | None = None, fault: Failure | None = None
) -> tuple[list[ChatPart], StreamedAnswer]:
    answer = StreamedAnswer()
    parts: list[ChatPart] = []
    for at in range(0, len(data), size or len(data) or 1):
        parts += answer.feed(data[at : at + (size or len(data))])
        if answer.done:
            break
    parts += answer.end(fault)
    return parts, answer


def parts_of(*chunks: Any) -> list[ChatPart]:
    parts, answer = read(stream_of(*chunks))
    assert answer.failure is None
    return parts


USAGE = {
    "prompt_tokens": 16111,
    "completion_tokens": 2,
    "prompt_tokens_details": {"cached_tokens": 15872},
}


def call(
    index: int | None, call_id: str | None, name: str | None, arguments: Any
) -> dict[str, Any]:
    piece: dict[str, Any] = {"type": "function", "function": {"name": name, "arguments": arguments}}
    if index is not None:
        piece["index"] = index
    if call_id is not None:
        piece["id"] = call_id
    return piece
