from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from callsheet.tools.sandbox.collect import Collected
from callsheet.tools.sandbox.frames import FrameReader
from callsheet.tools.sandbox.options import Limits, SandboxOptions
from callsheet.tools.sandbox.protocol import (
    ExecutionResult,
    Finding,
    NamedFile,
    SandboxUnavailable,
    Skipped,
)
from tests.sandbox.runner_words import NONCE, begin, end, err, file, out

LIMITS = Limits(output_bytes=10, files=2, file_bytes=20, files_bytes=30)
OPTIONS = SandboxOptions(limits=LIMITS, suffixes=("csv", "png"))


def collected(raw: bytes) -> tuple[Collected, list[tuple[str, str]]]:
    reader = FrameReader()
    reader.nonce = NONCE
    made = Collected(OPTIONS, 4)
    said = made.take(list(reader.feed(raw)))
    return made, list(said)


def result(raw: bytes) -> ExecutionResult:
    made, _ = collected(raw)
    assert made.ended
    return made.result(1.5)


def test_a_program_that_ends_well() -> None:
    found = result(begin() + out(b"hi\n") + file("a.csv", b"1,2") + end())

    assert found == ExecutionResult(
        "ok", 0, stdout="hi\n", files=(NamedFile("a.csv", b"1,2"),), duration_s=1.5
    )


def test_output_is_joined_as_it_comes_together() -> None:
    _, said = collected(begin() + out(b"a") + out(b"b") + err(b"c") + out(b"d") + err(b""))

    assert said == [("stdout", "ab"), ("stderr", "c"), ("stdout", "d")]


def test_more_output_than_is_kept_is_counted_also_where_the_runner_lets_it_through() -> None:
    found = result(begin() + out(b"0123456789abc") + end(dropped=[5, 2]))

    assert found.stdout == "0123456789"
    assert found.dropped_bytes == 10


@pytest.mark.parametrize(
    ("last", "expected"),
    [
        ({"exit_code": 3}, ("error", 3)),
        ({"exit_code": 0, "is_late": True}, ("timeout", None)),
        ({"exit_code": None, "signal": 11}, ("error", 139)),
        ({"exit_code": None, "signal": 9}, ("killed", None)),
        ({"exit_code": None, "signal": 9, "oom_kills": 1}, ("oom", None)),
        ({"exit_code": 0, "oom_kills": 1}, ("ok", 0)),
    ],
)
def test_how_a_program_ended(last: dict[str, Any], expected: tuple[str, int | None]) -> None:
    found = result(begin() + end(**last))

    assert (found.status, found.exit_code) == expected


def test_a_blocked_program_was_not_run_and_says_by_what() -> None:
    blocked = {"name": "ctypes", "action": "block", "line": 4}
    found = result(begin([blocked], runs=False) + end(1))

    assert found.status == "rejected"
    assert found.reason == "Not run, because it uses ctypes (line 4)."
    assert found.findings == (Finding("ctypes", "block", 4),)


def test_files_whose_content_is_something_else_are_left_out() -> None:
    found = result(begin() + file("a.png", b"<script>") + file("b.exe", b"MZ") + end())

    assert found.files == ()
    assert found.skipped == (
        Skipped("a.png", "what is in it is no png"),
        Skipped("b.exe", "its type is not given back"),
    )


def test_a_file_may_be_empty_and_what_is_skipped_is_told() -> None:
    skipped = [{"name": "big.csv", "reason": "it is larger"}]
    found = result(begin() + file("a.csv", b"") + end(skipped=skipped))

    assert found.files == (NamedFile("a.csv", b""),)
    assert found.skipped == (Skipped("big.csv", "it is larger"),)


@pytest.mark.parametrize(
    "raw",
    [
        file("../a.csv", b"1"),
        file("a.csv", b"x" * 21),
        file("a.csv", b"x" * 20) + file("b.csv", b"x" * 11),
        file("a.csv", b"") * 3,
        file("a.csv", b"12", size=1),
        file("a.csv", b"1", size=2) + file("b.csv", b"1"),
        file("a.csv", b"1", size=-1),
    ],
)
def test_a_runner_that_sends_more_than_was_asked_for_is_a_fault(raw: bytes) -> None:
    with pytest.raises(SandboxUnavailable):
        collected(begin() + raw)


def test_what_was_said_before_a_program_was_stopped_is_there() -> None:
    made, _ = collected(begin() + out(b"first \xe2"))

    found = made.late(4.0)

    assert replace(found, duration_s=0) == ExecutionResult(
        "timeout", stdout="first \ufffd", reason="It was stopped after 4 s."
    )
