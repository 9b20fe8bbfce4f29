"""A stream means the same wherever the network cuts it."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from callsheet.llm.chat import (
    ChatPart,
    ReasoningPart,
    TextPart,
    ToolCallPart,
)
from tests.llm.calling import calls_in
from tests.llm.openai_compat.streams import USAGE, call, chunk, read, stream_of

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
