"""Events are the same however the network cuts them."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.llm.openai_compat.sse import Frame, FrameTooLargeError, SseReader

STREAM = (
    "\ufeff: hello\r\n"
    "data: one\r\n\r\n"
    "id: 7\nretry: 10\nevent: error\ndata:two\ndata: lines\n\n"
    "data: 你好世界🌍👩‍👩‍👧\r\r"
    "data\n\n"
    "\n\n"
    "data:  spaced\n\n"
).encode()
FRAMES = [
    Frame(b"one"),
    Frame(b"two\nlines", b"error"),
    Frame("你好世界🌍👩‍👩‍👧".encode()),
    Frame(b" spaced"),
]


def read(pieces: list[bytes]) -> list[Frame]:
    reader = SseReader()
    return [frame for piece in pieces for frame in reader.feed(piece)]


def test_lines_end_in_any_way_and_comments_are_skipped() -> None:
    assert read([STREAM]) == FRAMES


def test_a_stream_may_come_byte_by_byte() -> None:
    assert read([STREAM[i : i + 1] for i in range(len(STREAM))]) == FRAMES


@given(st.lists(st.integers(0, len(STREAM)), max_size=12))
def test_a_stream_may_be_cut_anywhere(cuts: list[int]) -> None:
    places = [0, *sorted(cuts), len(STREAM)]
    pieces = [STREAM[a:b] for a, b in itertools.pairwise(places)]

    assert read(pieces) == FRAMES


def test_an_event_without_its_blank_line_is_given_at_the_end() -> None:
    reader = SseReader()

    assert reader.feed(b"data: last") == []
    assert reader.finish() == [Frame(b"last")]
    assert reader.finish() == []


@pytest.mark.parametrize("stream", [b"data: " + b"x" * 20, b"data: 123456\ndata: 123456\n"])
def test_an_event_has_a_limit(stream: bytes) -> None:
    reader = SseReader(limit_bytes=10)

    with pytest.raises(FrameTooLargeError):
        _ = [reader.feed(stream[index : index + 1]) for index in range(len(stream))]
