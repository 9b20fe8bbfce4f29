"""The load client notices what it is there to notice."""

from __future__ import annotations

import json
import time

from bench.turn import Turn


def stream(*events: dict[str, object]) -> bytes:
    return b"".join(b"id: x\ndata: " + json.dumps(event).encode() + b"\n\n" for event in events)


def whole(*deltas: str) -> list[dict[str, object]]:
    said: list[dict[str, object]] = [
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": each} for each in deltas
    ]
    return [
        {"type": "RUN_STARTED"},
        {"type": "TEXT_MESSAGE_START", "messageId": "m"},
        *said,
        {"type": "TEXT_MESSAGE_END", "messageId": "m"},
        {"type": "RUN_FINISHED"},
    ]


def test_a_whole_turn_has_no_problem_however_it_is_cut() -> None:
    data = b": ping\n\n" + stream(*whole("w00000 w0", "0001 "))
    turn = Turn()
    for place in range(len(data)):
        turn.feed(data[place : place + 1])
    assert turn.finish(chunks=2, stages=1) == []
    assert turn.events == 6
    assert turn.first_ms is not None


def test_a_lost_word_is_noticed() -> None:
    turn = Turn()
    turn.feed(stream(*whole("w00000 ", "w00002 ")))
    assert turn.finish(chunks=3, stages=1) == ["2 words instead of 3, or in another order"]


def test_swapped_words_are_noticed() -> None:
    turn = Turn()
    turn.feed(stream(*whole("w00001 ", "w00000 ")))
    assert turn.finish(chunks=2, stages=1) == ["2 words instead of 2, or in another order"]


def test_breaches_of_the_order_are_noticed() -> None:
    started, opened, said, _, ended = whole("w00000 ")
    turn = Turn()
    turn.feed(stream(started, opened, said, ended))
    assert turn.finish(chunks=1, stages=1) == ["RUN_FINISHED with open ['text']"]
    cut = Turn()
    cut.feed(stream(started, said))
    problems = cut.finish(chunks=1, stages=1)
    assert problems == ["TEXT_MESSAGE_CONTENT without an open text", "no terminal event"]


def test_a_stamp_says_how_late_a_delta_is_and_is_no_word() -> None:
    turn = Turn()
    stamp = time.monotonic_ns() - 5_000_000
    turn.feed(stream(*whole(f"@{stamp} w00000 ")))
    assert turn.finish(chunks=1, stages=1) == []
    assert 5 <= turn.lags_ms[0] < 1_000
