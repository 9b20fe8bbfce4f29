"""What vendors send, turned into parts."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.llm.chat import (
    ChatPart,
    FinishPart,
    HeadPart,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    UsagePart,
)
from callsheet.llm.openai_compat.answer import ANSWER_LIMIT_BYTES, StreamedAnswer, WholeAnswer
from callsheet.llm.openai_compat.faults import Failure
from tests.llm.calling import calls_in

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


def test_one_read_gives_its_text_in_one_part() -> None:
    parts = parts_of(
        chunk({"role": "assistant", "content": ""}),
        chunk({"content": "Hel"}),
        chunk({"content": "lo"}),
        chunk({}, "stop"),
        {"id": "a1", "choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 2}},
    )

    assert parts == [
        HEAD,
        TextPart("Hello"),
        FinishPart("stop"),
        UsagePart({"prompt_tokens": 3, "completion_tokens": 2}),
    ]


@pytest.mark.parametrize(
    "odd",
    [
        {"id": "a1", "model": "m"},
        {"id": "a1", "model": "m", "choices": None},
        {"id": "a1", "model": "m", "choices": []},
        {"id": "a1", "model": "m", "choices": [{"index": 0, "delta": None, "finish_reason": None}]},
        {"id": "a1", "model": "m", "choices": [{"index": 0}]},
        {
            "id": "a1",
            "model": "m",
            "choices": [{"index": 1, "delta": {"content": "another choice"}}],
        },
        {"id": "a1", "model": "m", "choices": ["?"], "usage": None},
        {"id": "a1", "model": "m", "choices": "?"},
        {"id": "a1", "model": "m", "choices": [{"delta": {"content": None, "tool_calls": None}}]},
        {"id": "a1", "model": "m", "choices": [{"delta": {"content": 7, "tool_calls": [None]}}]},
        {"id": "a1", "model": "m", "choices": [{"delta": "?"}], "usage": "?"},
    ],
)
def test_odd_chunks_say_nothing(odd: dict[str, Any]) -> None:
    parts = parts_of(odd, chunk({"content": "x"}), odd, chunk({}, "stop"), odd)

    assert parts == [HEAD, TextPart("x"), FinishPart("stop")]


def test_content_may_be_a_list() -> None:
    pieces = [
        {"type": "thinking", "thinking": [{"text": "hm"}]},
        {"type": "text", "text": "a"},
        "b",
    ]

    assert parts_of(chunk({"content": pieces}), chunk({}, "stop")) == [
        HEAD,
        ReasoningPart("hm"),
        TextPart("ab"),
        FinishPart("stop"),
    ]


@pytest.mark.parametrize("key", ["reasoning_content", "reasoning"])
def test_reasoning_by_either_name_and_by_tag(key: str) -> None:
    parts = parts_of(
        chunk({key: "why ", "content": None}),
        chunk({key: "so"}),
        chunk({"content": "<thi"}),
        chunk({"content": "nk>more</think>\n\nanswer"}),
        chunk({"content": " <think>"}),
        chunk({}, "stop"),
    )

    assert parts == [
        HEAD,
        ReasoningPart("why somore"),
        TextPart("answer <think>"),
        FinishPart("stop"),
    ]


def test_both_names_of_reasoning_are_one() -> None:
    assert ReasoningPart("hm") in parts_of(
        chunk({"reasoning": "hm", "reasoning_content": "hm"}), chunk({}, "stop")
    )


def test_reasoning_and_text_keep_their_order_after_the_first_chunk() -> None:
    parts = parts_of(
        chunk({"content": "a"}),
        chunk({"reasoning_content": "b", "content": "c"}),
        chunk({"reasoning_content": "d"}),
        chunk({"content": "e"}),
    )

    assert parts[1:-1] == [
        TextPart("a"),
        ReasoningPart("b"),
        TextPart("c"),
        ReasoningPart("d"),
        TextPart("e"),
    ]


def test_a_refusal_is_the_answer() -> None:
    assert TextPart("I can not.") in parts_of(chunk({"refusal": "I can not."}), chunk({}, "stop"))


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("function_call", "tool_calls"),
        ("length", "length"),
        ("stop", "stop"),
        ("eos_token", "eos_token"),
    ],
)
def test_finish_reasons(given: str, kept: str) -> None:
    assert parts_of(chunk({"content": "x"}), chunk({}, given), chunk({}, "stop"))[-1] == FinishPart(
        kept
    )


def test_an_end_mark_without_a_reason_is_a_stop() -> None:
    assert parts_of(chunk({"content": "x"}))[-1] == FinishPart("stop")


def test_an_empty_text_is_an_answer() -> None:
    assert parts_of(chunk({"role": "assistant", "content": ""}), chunk({}, "stop")) == [
        HEAD,
        FinishPart("stop"),
    ]


USAGE = {
    "prompt_tokens": 16111,
    "completion_tokens": 2,
    "prompt_tokens_details": {"cached_tokens": 15872},
}


@pytest.mark.parametrize(
    "chunks",
    [
        [chunk({}, "stop", usage=USAGE)],
        [chunk({}, "stop"), chunk({}, None, usage=USAGE)],
        [{"choices": [{"index": 0, "delta": {}, "finish_reason": "stop", "usage": USAGE}]}],
        [
            chunk({"content": "y"}, None, usage={"prompt_tokens": 16111, "completion_tokens": 1}),
            chunk({}, "stop", usage=USAGE),
        ],
        [chunk({}, "stop", usage=USAGE), {"choices": [], "usage": None}],
        [chunk({}, "stop", usage=USAGE), {"choices": [], "usage": {}}],
        [
            chunk({}, "stop", usage={"prompt_tokens": 16111}),
            {"choices": [], "usage": {**USAGE, "prompt_tokens": None}},
        ],
    ],
)
def test_usage_wherever_it_comes(chunks: list[dict[str, Any]]) -> None:
    parts = parts_of(chunk({"content": "x"}), *chunks)

    assert [part for part in parts if isinstance(part, UsagePart)][-1] == UsagePart(USAGE)


def call(
    index: int | None, call_id: str | None, name: str | None, arguments: Any
) -> dict[str, Any]:
    piece: dict[str, Any] = {"type": "function", "function": {"name": name, "arguments": arguments}}
    if index is not None:
        piece["index"] = index
    if call_id is not None:
        piece["id"] = call_id
    return piece


@pytest.mark.parametrize(
    ("deltas", "calls"),
    [
        (
            [[call(0, "c1", "f", "")], [call(0, None, None, '{"a"')], [call(0, "", "", ":1}")]],
            [("c1", "f", '{"a":1}')],
        ),
        ([[call(0, "c1", "f", '{"a":1}')]], [("c1", "f", '{"a":1}')]),
        ([[call(0, "c1", "f", '{"a"')], [call(0, "c1", "f", ":1}")]], [("c1", "f", '{"a":1}')]),
        (
            [[call(0, "c1", "f", "1"), call(1, "c2", "g", "2")]],
            [("c1", "f", "1"), ("c2", "g", "2")],
        ),
        (
            [[call(0, "c1", "f", "1")], [call(0, "c2", "g", "2")]],
            [("c1", "f", "1"), ("c2", "g", "2")],
        ),
        (
            [[call(None, "c1", "f", "1")], [call(None, "c2", "f", "2")]],
            [("c1", "f", "1"), ("c2", "f", "2")],
        ),
        ([[call(None, "c1", "f", "1")], [call(None, None, None, "2")]], [("c1", "f", "12")]),
        (
            [[call(None, None, "f", "1")], [call(None, None, "g", "2")]],
            [("call_a1_0", "f", "1"), ("call_a1_1", "g", "2")],
        ),
        ([[call(0, None, "f", "1")]], [("call_a1_0", "f", "1")]),
        ([[call(0, "c1", None, "")], [call(0, None, "f", "1")]], [("c1", "f", "1")]),
        ([[call(1, "c1", "f", "1")]], [("c1", "f", "1")]),
        ([[call(0, "c1", None, "1")]], [("c1", "", "1")]),
        ([[call(0, "c1", "f", {"a": 1})]], [("c1", "f", '{"a":1}')]),
        ([[call(0, "c1", "f", None)]], [("c1", "f", "")]),
    ],
)
def test_tool_calls_however_they_are_numbered(deltas: list[Any], calls: list[Any]) -> None:
    parts = parts_of(*[chunk({"tool_calls": pieces}) for pieces in deltas], chunk({}, "tool_calls"))

    assert calls_in(parts) == calls
    begun = [part for part in parts if isinstance(part, ToolCallPart) and part.name is not None]
    assert len(begun) == len(calls)


def test_the_old_function_call() -> None:
    parts = parts_of(
        chunk({"function_call": {"name": "f", "arguments": '{"a"'}}),
        chunk({"function_call": {"arguments": ":1}"}}),
        chunk({}, "function_call"),
    )

    assert calls_in(parts) == [("call_a1_0", "f", '{"a":1}')]
    assert parts[-1] == FinishPart("tool_calls")


def test_calls_without_a_reason_are_tool_calls() -> None:
    assert parts_of(chunk({"tool_calls": [call(0, "c", "f", "")]}))[-1] == FinishPart("tool_calls")


def test_a_last_chunk_that_repeats_the_message_is_not_said_twice() -> None:
    whole = {
        "id": "a1",
        "choices": [{"index": 0, "message": {"content": "Hello"}, "finish_reason": "stop"}],
    }

    assert parts_of(chunk({"content": "Hello"}), whole) == [
        HEAD,
        TextPart("Hello"),
        FinishPart("stop"),
    ]
    assert parts_of({**whole, "model": "m"}) == [HEAD, TextPart("Hello"), FinishPart("stop")]


def test_what_no_database_can_hold_is_replaced() -> None:
    raw = '{"id":"a1","model":"m","choices":[{"index":0,"delta":{"content":"a\\u0000b\\ud83dc"}}]}'

    assert TextPart("a\ufffdb\ufffdc") in parts_of(chunk({"content": ""}), raw, chunk({}, "stop"))


# ------------------------------------------------------------------ how an answer ends


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


# ------------------------------------------------------------------ any cut, one meaning

LONG = stream_of(
    chunk({"role": "assistant", "content": ""}),
    chunk({"reasoning_content": "weil 🌍"}),
    chunk({"content": " <think>denk"}),
    chunk({"content": "en</think> 你好世界🌍👩‍👩‍👧"}),
    chunk({"content": "mehr"}),
    chunk({"tool_calls": [call(0, "c1", "f", '{"ort":"')]}),
    chunk({"tool_calls": [call(0, None, None, '東京"}'), call(1, "c2", "g", "{}")]}),
    chunk({}, "tool_calls"),
    {"choices": [], "usage": USAGE},
)


def meaning(parts: list[ChatPart]) -> list[Any]:
    """The parts with neighbouring text joined and tool calls put together."""
    joined: list[Any] = []
    for part in parts:
        last = joined[-1] if joined else None
        if isinstance(part, TextPart | ReasoningPart) and type(last) is type(part):
            joined[-1] = type(part)(last.text + part.text)
        elif not isinstance(part, ToolCallPart):
            joined.append(part)
    return [*joined, calls_in(parts)]


@given(st.integers(1, 200))
def test_any_size_of_reads_means_the_same(size: int) -> None:
    whole, _ = read(LONG)
    cut, answer = read(LONG, size)

    assert answer.failure is None
    assert meaning(cut) == meaning(whole)


@given(st.lists(st.text(max_size=5), max_size=8), st.integers(1, 60))
def test_no_word_is_lost(words: list[str], size: int) -> None:
    parts, answer = read(stream_of(*[chunk({"content": word}) for word in ["a", *words]]), size)

    assert answer.failure is None
    said = "".join(part.text for part in parts if isinstance(part, TextPart))
    assert said == "a" + "".join(words).replace("\x00", "\ufffd")


# ------------------------------------------------------------------ answers in one piece


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
