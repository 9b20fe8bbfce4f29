"""JSON out of what a model writes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callsheet.kit.errors import TurnFailed
from callsheet.workflows.output import parse_output

SCHEMA = {
    "type": "object",
    "required": ["route"],
    "properties": {"route": {"enum": ["chat", "code"]}, "hint": {"type": "string"}},
}
GOOD = {"route": "chat", "hint": 'a "}" and a { and \n'}
SPELLED = json.dumps(GOOD)


@pytest.mark.parametrize(
    "answer",
    [
        SPELLED,
        f"  {SPELLED}\n",
        f"```json\n{SPELLED}\n```",
        f"```\n{SPELLED}\n```\nHope this helps!",
        f"Sure! Here it is: {SPELLED} Anything else?",
        f"marker-7 {SPELLED}",
        f"First I thought of {{\"route\": \"code\"}}, but it is {SPELLED}.",
        f"{{not json}} [1, {{ {SPELLED}",
        f"It wants {{\"route\": ...}}: {SPELLED} (not {{\"route\": \"wrong\"}})",
        json.dumps(SPELLED),
        SPELLED.replace("\\n", "\n"),
    ],
)  # fmt: skip
def test_the_object_is_found_whatever_stands_around_it(answer: str) -> None:
    assert parse_output(answer, SCHEMA) == GOOD


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("", "the answer holds no JSON"),
        ("chat", "the answer holds no JSON"),
        ('{"route": "chat"', "the answer holds no JSON"),
        ('{"route": NaN}', "the answer holds no JSON"),
        ('{"route": "search"}', "['route'] 'search' is not one of ['chat', 'code']"),
        ('{"rout": "chat"}', "'route' is a required property"),
        ('["chat"]', "['chat'] is not of type 'object'"),
        ("5", "5 is not of type 'object'"),
        ("[" * 100_000, "the answer holds no JSON"),
        ("{" * 100_000, "the answer holds no JSON"),
        ("x" * 200_001, "the answer has more than 200000 characters"),
    ],
)
def test_an_answer_that_does_not_fit_says_why(answer: str, why: str) -> None:
    with pytest.raises(TurnFailed) as caught:
        parse_output(answer, SCHEMA)

    assert caught.value.error_code == "invalid_output"
    assert why in str(caught.value)


values = st.dictionaries(
    st.text(max_size=5),
    st.recursive(
        st.none() | st.integers(-(2**53), 2**53) | st.text(max_size=10), st.lists, max_leaves=5
    ),
)


@settings(max_examples=40, deadline=None)
@given(values, st.text("abc {}[]\"'\\,:1`", max_size=30))
def test_an_object_is_found_after_any_prose(value: dict[str, Any], prose: str) -> None:
    wanted = {**value, "route": "code"}

    found = parse_output(f"{prose}\n```json\n{json.dumps(wanted)}\n```", {"required": ["route"]})

    assert found == wanted
