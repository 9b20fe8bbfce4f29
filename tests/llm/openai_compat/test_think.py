"""`<think>` at the start of an answer is reasoning, anywhere else it is text."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.llm.chat import ReasoningPart
from callsheet.llm.openai_compat.think import ThinkSplitter

CASES = [
    ("<think>why</think>because", "why", "because"),
    (
        " \n<think>\n\nwhy\n</think>\n\nbecause <think>x</think>",
        "why\n",
        "because <think>x</think>",
    ),
    ("<think></think>hi", "", "hi"),
    ("<think>a < b </thin k> </think >c", "a < b </thin k> </think >c", ""),
    ("<think>never closed </thi", "never closed </thi", ""),
    ("<think>only thoughts</think>\n", "only thoughts", ""),
    ("no <think>tag</think>", "", "no <think>tag</think>"),
    ("<thinking>no</thinking>", "", "<thinking>no</thinking>"),
    ("<THINK>no</THINK>", "", "<THINK>no</THINK>"),
    ("  plain", "", "  plain"),
    ("<", "", "<"),
    (" <thi", "", " <thi"),
    ("", "", ""),
]


def split(pieces: list[str]) -> tuple[str, str]:
    splitter = ThinkSplitter()
    parts = [part for piece in pieces for part in splitter.feed(piece)] + splitter.finish()
    thought = "".join(part.text for part in parts if isinstance(part, ReasoningPart))
    said = "".join(part.text for part in parts if not isinstance(part, ReasoningPart))
    assert all(part.text for part in parts)
    return thought, said


@pytest.mark.parametrize(("answer", "thought", "said"), CASES)
def test_whole(answer: str, thought: str, said: str) -> None:
    assert split([answer]) == (thought, said)
    assert split(list(answer)) == (thought, said)


@given(
    st.sampled_from(CASES),
    st.lists(st.integers(0, 40), max_size=6),
)
def test_cut_anywhere(case: tuple[str, str, str], cuts: list[int]) -> None:
    answer, thought, said = case
    places = [0, *sorted(cuts), len(answer)]
    pieces = [answer[a:b] for a, b in itertools.pairwise(places) if a <= b]

    assert split(pieces) == (thought, said)


def test_text_is_not_held_back_once_there_is_no_tag() -> None:
    splitter = ThinkSplitter()

    assert not splitter.passive
    assert [part.text for part in splitter.feed("<th")] == []
    assert [part.text for part in splitter.feed("e end")] == ["<the end"]
    assert splitter.passive


def test_thoughts_are_not_held_back_to_the_closing_tag() -> None:
    splitter = ThinkSplitter()

    assert [part.text for part in splitter.feed("<think>first ")] == ["first "]
    assert [part.text for part in splitter.feed("second</")] == ["second"]
