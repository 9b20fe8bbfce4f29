"""What a request answers, as clients of both generations spell it."""

from __future__ import annotations

from typing import Any

import pytest

from callsheet.kit.errors import BadInput, TooLarge
from tests.agui.test_request import ASK, body, parse


def test_answers_are_read_in_both_spellings_and_need_no_message() -> None:
    resume = [
        {"interruptId": "one", "status": "resolved", "payload": {"a": "\ud800"}},
        {"interrupt_id": "two", "status": "cancelled", "payload": "dropped"},
    ]
    read = parse(body(resume=resume, messages=[]))
    assert read.text == ""
    assert [(g.interrupt_id, g.answer.status, g.answer.payload) for g in read.given.answers] == [
        ("one", "resolved", {"a": "\ufffd"}),
        ("two", "cancelled", None),
    ]


def test_beside_answers_only_a_message_at_the_end_may_be_new() -> None:
    resume = [{"interruptId": "one", "status": "cancelled"}]
    assert parse(body(resume=resume, messages=[ASK])).text == ASK["content"]
    old = {**ASK, "content": ""}
    read = parse(body(resume=resume, messages=[old, {"id": "a", "role": "assistant"}]))
    assert (read.text, read.is_said_last) == ("", False)


def test_tool_messages_at_the_end_are_results() -> None:
    def tool(id_: str, **more: Any) -> dict[str, Any]:
        return {"id": id_, "role": "tool", **more}

    read = parse(
        body(
            messages=[
                tool("t0", toolCallId="c0", content="history"),
                ASK,
                tool("t1", toolCallId="c1", content="one"),
                tool("t2", tool_call_id="c2", content=[{"type": "text", "text": "two"}]),
                tool("t3", toolCallId="c3", error="broke"),
            ]
        )
    )
    assert [(g.tool_call_id, g.content, g.is_error) for g in read.given.results] == [
        ("c1", "one", False),
        ("c2", "two", False),
        ("c3", "broke", True),
    ]
    assert (read.text, read.is_said_last) == (ASK["content"], False)


def test_answers_and_results_have_limits() -> None:
    resume = [{"interruptId": "i", "payload": "x" * 100_001}]
    with pytest.raises(TooLarge):
        parse(body(resume=resume))
    deep: Any = []
    for _ in range(120):
        deep = [deep]
    with pytest.raises(BadInput):
        parse(body(resume=[{"interruptId": "i", "payload": deep}]))
    long = {"id": "t", "role": "tool", "toolCallId": "c", "content": "x" * 100_001}
    with pytest.raises(TooLarge):
        parse(body(messages=[ASK, long]))


def test_the_call_that_a_result_is_for_is_storable() -> None:
    strange = {"id": "t", "role": "tool", "toolCallId": "c\x00\ud800", "content": "x"}
    [given] = parse(body(messages=[ASK, strange])).given.results
    assert given.tool_call_id == "c\ufffd\ufffd"


def test_no_more_results_are_read_than_can_be_looked_up() -> None:
    results = [{"id": "t", "role": "tool", "toolCallId": f"c{n}"} for n in range(1_001)]
    assert len(parse(body(messages=[ASK, *results[1:]])).given.results) == 1_000
    with pytest.raises(BadInput):
        parse(body(messages=[ASK, *results]))
