"""What vendors send, turned into parts."""

from __future__ import annotations

from typing import Any

import pytest

from callsheet.llm.chat import (
    FinishPart,
    HeadPart,
    ReasoningPart,
    TextPart,
    UsagePart,
)
from tests.llm.openai_compat.streams import HEAD, USAGE, chunk, parts_of


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
        {"id": "a1", "model": "m", "choices": [{"delta": "?"}], "usage": None},
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
        [chunk({}, "stop", usage=USAGE), {"choices": [], "usage": "?"}],
        [chunk({}, "stop", usage="?"), {"choices": [], "usage": USAGE}],
        [
            chunk({}, "stop", usage=USAGE),
            {"choices": [], "usage": {"prompt_tokens_details": {"cached_tokens": None}}},
        ],
        [
            chunk({}, "stop", usage={"prompt_tokens": 16111}),
            {"choices": [], "usage": {**USAGE, "prompt_tokens": None}},
        ],
    ],
)
def test_usage_wherever_it_comes(chunks: list[dict[str, Any]]) -> None:
    parts = parts_of(chunk({"content": "x"}), *chunks)

    assert [part for part in parts if isinstance(part, UsagePart)][-1] == UsagePart(USAGE)


@pytest.mark.parametrize("odd", [{}, "12", 12, [1]])
def test_usage_that_is_no_usage_is_handed_on_as_it_came(odd: Any) -> None:
    parts = parts_of(chunk({"content": "x"}), chunk({}, "stop", usage=odd))

    assert [part for part in parts if isinstance(part, UsagePart)] == [UsagePart(odd)]


def test_usage_in_every_chunk_is_the_sum_so_far() -> None:
    parts = parts_of(
        *(
            chunk({"content": "x"}, usage={"prompt_tokens": 9, "completion_tokens": so_far})
            for so_far in (1, 2, 3)
        ),
        chunk({}, "stop"),
    )

    found = [part for part in parts if isinstance(part, UsagePart)]
    assert found[-1] == UsagePart({"prompt_tokens": 9, "completion_tokens": 3})


@pytest.mark.parametrize(
    "more",
    [
        {"content": "more"},
        {"reasoning_content": "more"},
        {"refusal": "more"},
        {"tool_calls": [{"index": 0, "function": {"name": "f", "arguments": "{}"}}]},
    ],
)
def test_usage_that_came_before_more_of_the_answer_is_marked(more: dict[str, Any]) -> None:
    early = chunk({"content": "x"}, usage={"prompt_tokens": 9, "completion_tokens": 0})

    def last(*chunks: dict[str, Any]) -> UsagePart:
        return [part for part in parts_of(*chunks) if isinstance(part, UsagePart)][-1]

    assert last(early, chunk(more), chunk({}, "stop")).words_followed
    assert not last(early, chunk({"content": ""}), chunk({}, "stop")).words_followed
    assert last(early, chunk(more), chunk({}, "stop", usage=USAGE)) == UsagePart(USAGE)


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


def test_what_a_provider_calls_things_is_kept_as_far_as_there_is_room() -> None:
    whole = {**chunk({"content": "Hi"}, "z" * 999), "id": "x" * 999, "model": "y" * 999}
    head, _, end = parts_of(whole)
    assert (head, end) == (HeadPart("x" * 200, "y" * 200), FinishPart("z" * 200))
