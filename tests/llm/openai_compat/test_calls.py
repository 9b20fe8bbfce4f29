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
