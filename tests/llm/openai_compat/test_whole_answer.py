"""Answers in one piece."""

from __future__ import annotations

import json

import pytest

from callsheet.llm.chat import (
    ChatPart,
    FinishPart,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    UsagePart,
)
from callsheet.llm.openai_compat.answer import WholeAnswer
from callsheet.llm.openai_compat.faults import Failure
from tests.llm.openai_compat.streams import CUT, HEAD, USAGE, call


def whole(body: bytes, fault: Failure | None = None) -> tuple[list[ChatPart], WholeAnswer]:
    answer = WholeAnswer()
    parts = answer.feed(body[:10]) + answer.feed(body[10:]) + answer.end(fault)
    return parts, answer


def test_an_answer_in_one_piece_gives_the_same_parts() -> None:
    message = {
        "role": "assistant",
        "content": "<think>hm</think>x",
        "tool_calls": [call(None, "c1", "f", "{}")],
    }
    body = {
        "id": "a1",
        "model": "m",
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}],
        "usage": USAGE,
    }

    parts, answer = whole(json.dumps(body).encode())

    assert answer.failure is None
    assert parts == [
        HEAD,
        ReasoningPart("hm"),
        TextPart("x"),
        ToolCallPart(0, "c1", "f", "{}"),
        FinishPart("tool_calls"),
        UsagePart(USAGE),
    ]


@pytest.mark.parametrize(
    ("body", "fault", "code"),
    [
        (b'{"choices": [{"mess', None, "provider_malformed"),
        (b'{"choices": [{"mess', CUT, "provider_cut"),
        (b"", None, "provider_empty"),
        (b"{}", None, "provider_empty"),
        (b"", CUT, "provider_unreachable"),
        (b'{"error": {"message": "boom"}}', None, "provider_error"),
        (b"x" * (5 * 1024 * 1024), None, "provider_malformed"),
        (
            b'{"choices":[{"message":{"content":"x"},"finish_reason":"content_filter"}]}',
            None,
            "content_filter",
        ),
    ],
)
def test_an_answer_in_one_piece_that_is_none(body: bytes, fault: Failure | None, code: str) -> None:
    _, answer = whole(body, fault)

    assert answer.failure is not None
    assert answer.failure.code == code
