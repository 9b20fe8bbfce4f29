"""How an answer ends, and what is kept of it."""

from __future__ import annotations

from typing import Any

import pytest

from callsheet.llm.chat import (
    FinishPart,
    ReasoningPart,
    TextPart,
    UsagePart,
)
from callsheet.llm.openai_compat.answer import ANSWER_LIMIT_BYTES, StreamedAnswer
from callsheet.llm.openai_compat.faults import Failure
from callsheet.llm.openai_compat.sse import FRAME_LIMIT_BYTES
from tests.llm.openai_compat.streams import CUT, HEAD, USAGE, chunk, parts_of, read, stream_of


def test_an_end_without_the_mark_is_whole_after_a_reason() -> None:
    for fault in (None, CUT):
        parts, answer = read(stream_of(chunk({"content": "x"}, "stop"), done=False), fault=fault)
        assert answer.failure is None
        assert parts[-1] == FinishPart("stop")


def test_an_end_without_mark_and_reason_is_a_cut() -> None:
    parts, answer = read(stream_of(chunk({"content": "x"}), done=False))

    assert (answer.failure and answer.failure.code, answer.answered) == ("provider_cut", True)
    assert parts == [HEAD, TextPart("x")]


def test_what_was_held_back_is_not_lost_in_a_cut() -> None:
    parts, answer = read(stream_of(chunk({"content": "<think>so </thi"}), done=False), fault=CUT)

    assert answer.failure == CUT
    assert parts[1:] == [ReasoningPart("so "), ReasoningPart("</thi")]


def test_half_an_event_at_the_end_is_a_cut_not_a_malformed_chunk() -> None:
    data = stream_of(chunk({"content": "x"}), done=False) + b'data: {"id":"a1","cho'

    _, answer = read(data)

    assert answer.failure is not None
    assert answer.failure.code == "provider_cut"


def test_a_last_event_without_its_blank_line_counts() -> None:
    data = stream_of(chunk({"content": "x"}), chunk({}, "length"), done=False).rstrip(b"\n")

    parts, answer = read(data)

    assert answer.failure is None
    assert parts[-1] == FinishPart("length")


@pytest.mark.parametrize(
    "data", [b"data: [DONE]\n\n", b"", b": hello\n\n", stream_of({"choices": []})]
)
def test_no_choice_at_all_is_an_empty_answer(data: bytes) -> None:
    _, answer = read(data)

    assert (answer.failure, answer.answered) == (Failure("provider_empty"), False)


def test_a_break_before_anything_means_that_it_was_not_reached() -> None:
    _, answer = read(b"", fault=CUT)

    assert answer.failure is not None
    assert answer.failure.code == "provider_unreachable"


@pytest.mark.parametrize("broken", ['{"choices":[{"delta":{"conte', "[1]", "Infinity", "{" * 5000])
def test_a_malformed_chunk_keeps_what_came_before(broken: str) -> None:
    data = stream_of(chunk({"content": "x"}), broken, chunk({"content": "y"}))

    parts, answer = read(data)

    assert parts == [HEAD, TextPart("x")]
    assert answer.failure is not None
    assert (answer.failure.code, answer.answered) == ("provider_malformed", True)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        ({"error": {"message": "boom"}}, "provider_error"),
        ({"error": "boom"}, "provider_error"),
        ({"error": {"code": 429}}, "provider_rate_limited"),
        ({"error": {"code": "rate_limit_exceeded"}}, "provider_rate_limited"),
        ({"error": {"code": "400", "message": "bad"}}, "provider_refused"),
        ({"error": {"code": "insufficient_quota"}}, "provider_refused"),
        ({"error": {"message": "This model's maximum context length is 8"}}, "provider_refused"),
        ({"error": {"type": "authentication_error"}}, "provider_refused"),
        ({"error": {"code": "data_inspection_failed"}}, "content_filter"),
        ({"choices": None, "base_resp": {"status_code": 1002}}, "provider_rate_limited"),
        ({"choices": None, "base_resp": {"status_code": 1027}}, "content_filter"),
        ({"choices": None, "base_resp": {"status_code": 1004}}, "provider_refused"),
    ],
)
def test_error_objects_in_the_stream(error: dict[str, Any], code: str) -> None:
    first, after = read(stream_of(error))[1], read(stream_of(chunk({"content": "x"}), error))[1]

    assert first.failure is not None
    assert after.failure is not None
    assert (first.failure.code, first.answered) == (code, False)
    assert (after.failure.code, after.answered) == (code, True)


@pytest.mark.parametrize(
    "data", ['{"code":"Throttling","message":"slow"}', '{"error":{"code":"Throttling"}}']
)
def test_an_event_that_is_named_error(data: str) -> None:
    _, answer = read(f"event: error\ndata: {data}\n\n".encode())

    assert answer.failure is not None
    assert answer.failure.code == "provider_rate_limited"


def test_an_event_named_error_without_an_object() -> None:
    _, answer = read(b"event: error\ndata: oh\n\n")

    assert answer.failure is not None
    assert answer.failure.code == "provider_error"


def test_a_base_resp_of_zero_is_no_error() -> None:
    assert parts_of(chunk({"content": "x"}, "stop", base_resp={"status_code": 0}))[
        -1
    ] == FinishPart("stop")


@pytest.mark.parametrize("reason", ["content_filter", "sensitive"])
def test_a_filtered_answer_ends_in_its_own_failure_after_all_parts(reason: str) -> None:
    parts, answer = read(
        stream_of(chunk({"content": "x"}), chunk({}, reason), {"choices": [], "usage": USAGE})
    )

    assert answer.failure == Failure("content_filter")
    assert parts == [HEAD, TextPart("x"), FinishPart("content_filter"), UsagePart(USAGE)]


@pytest.mark.parametrize("reason", ["error", "network_error", "insufficient_system_resource"])
def test_a_provider_that_gives_up(reason: str) -> None:
    _, answer = read(stream_of(chunk({"content": "x"}), chunk({}, reason)))

    assert answer.failure is not None
    assert answer.failure.code == "provider_error"


def test_an_answer_has_a_limit() -> None:
    answer = StreamedAnswer()
    comment = b":" + b"x" * (1024 * 1024) + b"\n"
    for _ in range(ANSWER_LIMIT_BYTES // len(comment) + 1):
        assert answer.failure is None
        answer.feed(comment)

    assert answer.done
    assert answer.failure is not None
    assert answer.failure.code == "provider_malformed"


def test_an_event_has_a_limit() -> None:
    _, answer = read(b"data: " + b"x" * (FRAME_LIMIT_BYTES + 1), size=64 * 1024)

    assert answer.failure is not None
    assert answer.failure.code == "provider_malformed"
