from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.tools.sandbox.frames import Frame, FrameReader, request_of
from callsheet.tools.sandbox.inside.wire import HEADER, LENGTH, STDERR, STDOUT, frame
from callsheet.tools.sandbox.options import SandboxOptions
from callsheet.tools.sandbox.protocol import NamedFile, Program, SandboxUnavailable
from tests.sandbox.runner_words import NONCE, piece, word


def reader() -> FrameReader:
    made = FrameReader()
    made.nonce = NONCE
    return made


@given(st.lists(st.integers(min_value=1, max_value=200)))
def test_frames_are_the_same_however_they_are_cut(cuts: list[int]) -> None:
    raw = b"".join((word(STDOUT, b"a" * 300), word(STDERR, b""), word(STDOUT, b"b")))
    read, found, at = reader(), [], 0
    for cut in [*cuts, len(raw)]:
        found += list(read.feed(raw[at : at + cut]))
        at += cut

    assert found == [Frame(STDOUT, b"a" * 300), Frame(STDERR, b""), Frame(STDOUT, b"b")]


def test_one_frame_may_come_in_several_pieces_of_the_engine() -> None:
    whole = frame(NONCE, STDOUT, b"hello")
    raw = b"".join(piece(whole[at : at + 7]) for at in range(0, len(whole), 7))

    assert list(reader().feed(raw)) == [Frame(STDOUT, b"hello")]


def test_what_the_runner_writes_beside_its_frames_is_kept_for_the_log() -> None:
    read = reader()

    assert list(read.feed(piece(b"No module named 'x'\n" * 1000, stream=2))) == []
    assert len(read.faults) == 4096


@pytest.mark.parametrize(
    "raw",
    [
        piece(b"x" * HEADER.size),
        word(STDOUT, b"forged", nonce=bytes(16)),
        word(b"?", b""),
        piece(HEADER.pack(NONCE, STDOUT, 1 << 30)),
    ],
)
def test_what_is_no_frame_is_a_fault_of_the_sandbox(raw: bytes) -> None:
    with pytest.raises(SandboxUnavailable):
        list(reader().feed(raw))


@pytest.mark.parametrize("payload", [b"{", b"[]", b"\xff", b"NaN"])
def test_a_word_that_is_no_object_is_a_fault_of_the_sandbox(payload: bytes) -> None:
    with pytest.raises(SandboxUnavailable):
        Frame(b"X", payload).value()


def test_a_request_has_its_head_and_then_the_files() -> None:
    program = Program("print('é')", 30, (NamedFile("a.csv", b"1,2"), NamedFile("b", b"")))
    raw = request_of(program, SandboxOptions(checks={"ctypes": "block", "eval": "allow"}))
    (length,) = LENGTH.unpack(raw[: LENGTH.size])
    head = json.loads(raw[LENGTH.size : LENGTH.size + length])

    assert raw[LENGTH.size + length :] == b"1,2"
    assert head["code"] == "print('é')"
    assert head["files"] == [{"name": "a.csv", "size": 3}, {"name": "b", "size": 0}]
    assert head["rules"] == {"ctypes": "block"}
