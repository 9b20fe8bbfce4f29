"""Braces in an author's text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callsheet.workflows.marks import fill, marks

names = st.from_regex(r"[a-z_][a-z0-9_]{0,5}", fullmatch=True)
texts = st.text("{}ab_ \n\"'<:%$", max_size=40)


@pytest.mark.parametrize(
    "text",
    ['{"action": "<name>"', "{", "}", "{}", "{ a }", "{a", "a}", "{a b}", "{0}", "{a:b}", "{a!r}"],
)  # fmt: skip
def test_lone_braces_are_just_braces(text: str) -> None:
    assert marks(text) == ()
    assert fill(text, {"a": "x", "action": "x", "0": "x"}) == text


def test_only_given_names_are_replaced() -> None:
    assert fill("{a} {b} {a}", {"a": "1"}) == "1 {b} 1"


def test_doubled_braces_stand_for_single_ones() -> None:
    assert marks("{{a}} {b}") == ("b",)
    assert fill('{{a}} and {"x": {"y": 1}} and {{{a}}}', {"a": "1"}) == (
        '{a} and {"x": {"y": 1}} and {{a}}'
    )


@settings(max_examples=40, deadline=None)
@given(texts, st.dictionaries(names, texts))
def test_what_is_put_in_is_never_looked_at_again(text: str, values: dict[str, str]) -> None:
    plain = {name: f"\0{number}\0" for number, name in enumerate(values)}

    once = fill(text, plain)
    for number, value in enumerate(values.values()):
        once = once.replace(f"\0{number}\0", value)

    assert fill(text, values) == once


@settings(deadline=None)
@given(texts)
def test_without_marks_nothing_changes_but_doubled_braces(text: str) -> None:
    assert len(fill(text, {})) <= len(text)
    assert marks(text) != () or fill(text, {"a": "x", "b": "x", "_": "x"}) == fill(text, {})
