"""Tool calls, however a provider numbers them."""

from __future__ import annotations

from typing import Any

import pytest

from callsheet.llm.chat import (
    FinishPart,
    ToolCallPart,
)
from tests.llm.calling import calls_in
from tests.llm.openai_compat.streams import call, chunk, parts_of


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


F1, F2 = '{"a":', '"x"}'
G1, G2 = '{"b":', "[1]}"


@pytest.mark.parametrize(
    "pieces",
    {
        "by index": [
            (0, "c1", "f", F1), (1, "c2", "g", G1), (0, None, None, F2), (1, None, None, G2),
        ],
        "by index as text": [
            ("0", "c1", "f", F1), ("1", "c2", "g", G1), ("0", None, None, F2), ("1", "", "", G2),
        ],
        "by index, without ids": [
            (0, None, "f", F1), (1, None, "g", G1), (0, None, None, F2), (1, None, None, G2),
        ],
        "by id, without an index": [
            (None, "c1", "f", F1), (None, "c2", "g", G1), (None, "c1", None, F2),
            (None, "c2", None, G2),
        ],
        "by id, all of index 0": [
            (0, "c1", "f", F1), (0, "c2", "g", G1), (0, "c1", None, F2), (0, "c2", None, G2),
        ],
        "by id and name, all of index 0": [
            (0, "c1", "f", F1), (0, "c2", "g", G1), (0, "c1", "f", F2), (0, "c2", "g", G2),
        ],
        "by name alone": [
            (None, None, "f", F1), (None, None, "g", G1), (None, None, "f", F2),
            (None, "", "g", G2),
        ],
        "by name, all of index 0": [
            (0, None, "f", F1), (0, None, "g", G1), (0, None, "f", F2), (0, None, "g", G2),
        ],
        "the index only at first": [
            (0, "c1", "f", F1), (1, "c2", "g", G1), (None, "c1", None, F2), (None, "c2", "", G2),
        ],
        "the index only later": [
            (None, "c1", "f", F1), (None, "c2", "g", G1), (0, "c1", None, F2), (1, "c2", None, G2),
        ],
        "one id for all": [
            (0, "call", "f", F1), (1, "call", "g", G1), (0, "call", None, F2),
            (1, "call", None, G2),
        ],
        "names after ids": [
            (0, "c1", None, ""), (1, "c2", None, ""), (0, None, "f", F1), (1, None, "g", G1),
            (0, None, None, F2), (1, None, None, G2),
        ],
    }.items(),
    ids=lambda pair: pair[0],
)  # fmt: skip
def test_the_pieces_of_two_calls_may_be_mixed(pieces: tuple[str, list[Any]]) -> None:
    deltas = [chunk({"tool_calls": [call(*piece)]}) for piece in pieces[1]]

    found = calls_in(parts_of(*deltas, chunk({}, "tool_calls")))

    assert [each[1:] for each in found] == [("f", F1 + F2), ("g", G1 + G2)]


@pytest.mark.parametrize(
    ("pieces", "calls"),
    [
        # Two whole calls of one tool, without a word on which is which.
        ([(0, None, "f", '{"a":1}'), (0, None, "f", '{"a":2}')], ['{"a":1}', '{"a":2}']),
        ([(None, None, "f", "{}"), (None, None, "f", "{}")], ["{}", "{}"]),
        ([(0, "c", "f", '{"a":1}'), (0, "c", "f", '{"a":2}')], ['{"a":1}', '{"a":2}']),
        # One call whose name is on every piece.
        ([(None, None, "f", '{"a"'), (None, None, "f", ":1}")], ['{"a":1}']),
        ([(None, None, "f", ""), (None, None, "f", '{"a":1}')], ['{"a":1}']),
        ([(None, None, "f", '{"a":1}'), (None, None, "f", "")], ['{"a":1}']),
        # One call whose id changes from piece to piece.
        ([(0, "c1", "f", '{"a"'), (0, "c2", None, ":1}")], ['{"a":1}']),
        # An empty object that is only the beginning.
        ([(0, "c1", "f", {}), (0, None, None, '{"a":1}')], ['{"a":1}']),
        # Nothing tells them apart: what is no JSON goes back to the model.
        ([(None, None, "f", '{"a"'), (None, None, None, '{"b"')], ['{"a"{"b"']),
    ],
)
def test_how_many_calls_there_are(pieces: list[Any], calls: list[str]) -> None:
    deltas = [chunk({"tool_calls": [call(*piece)]}) for piece in pieces]

    found = calls_in(parts_of(*deltas, chunk({}, "tool_calls")))

    assert [each[1:] for each in found] == [("f", arguments) for arguments in calls]


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
