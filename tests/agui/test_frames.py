"""The form of what is sent: valid, numbered, timed, and the same every time."""

from __future__ import annotations

from typing import Any

import pytest

from callsheet.agui.encoder import Encoder
from callsheet.agui.run_frames import WireIds
from callsheet.agui.run_input import Protocol
from callsheet.agui.show import SHOW_EVERYTHING
from callsheet.events.entry import Entry
from callsheet.events.run import RunFinished
from tests.agui.calls import STARTED
from tests.agui.encoded import IDS, encoded, events
from tests.agui.frames import check_event, read_frames
from tests.agui.journal import (
    RUN,
    TRACE,
    cancelled_run,
    failed_run,
    numbered,
    started,
    visible_stage,
    whole_run,
)


@pytest.mark.parametrize("protocol", ["1.0", "0.x"])
@pytest.mark.parametrize("make", [whole_run, failed_run, cancelled_run])
def test_the_protocols_own_models_take_every_event(make: Any, protocol: Protocol) -> None:
    frames = read_frames(encoded(make(), protocol))
    assert frames
    for _, event in frames:
        check_event(event)


def test_the_model_of_the_check_refuses_what_a_client_would_strip() -> None:
    event = read_frames(encoded(whole_run()))[0][1]
    for spoilt in ({**event, "more": 1}, {**event, "parentRunId": None}, {**event, "runId": 1}):
        with pytest.raises((ValueError, AssertionError)):
            check_event(spoilt)


def test_each_frame_has_an_id_a_time_and_the_trace() -> None:
    frames = read_frames(encoded(whole_run()))
    assert all(event["metadata"]["callsheet"]["traceId"] == TRACE for _, event in frames)
    assert frames[0][0] == f"{RUN}:1.1"
    assert [identity for identity, _ in frames if identity and ":5." in identity] == [
        f"{RUN}:5.1",
        f"{RUN}:5.2",
    ]
    times = [event["timestamp"] for _, event in frames]
    assert times == sorted(times)
    assert times[0] == int(STARTED.timestamp() * 1000) + 10


def test_a_clock_that_goes_back_does_not_show() -> None:
    entries = list(whole_run())
    late = [Entry(each.seq, STARTED, each.event) for each in entries[20:]]
    times = [event["timestamp"] for _, event in read_frames(encoded((*entries[:20], *late)))]
    assert times == sorted(times)


def test_batches_do_not_change_the_bytes() -> None:
    entries = whole_run()
    encoder = Encoder(RUN, IDS, "1.0", SHOW_EVERYTHING)
    assert b"".join(encoder.encode([entry]) for entry in entries) == encoded(entries)


def test_what_is_only_for_the_record_gives_no_bytes() -> None:
    entries = whole_run()
    hidden = {
        "AnswerFinished",
        "LlmCallStarted",
        "StageRetried",
        "TaskFinished",
        "ToolStarted",
    }
    encoder = Encoder(RUN, IDS, "1.0", SHOW_EVERYTHING)
    silent = {type(entry.event).__name__ for entry in entries if not encoder.encode([entry])}
    assert silent == hidden


@pytest.mark.parametrize(
    "text",
    [
        "line\nfeed\r\n",
        'quote" back\\slash',
        "\x85\u2028\u2029",
        "\x00\x1f",
        "汉字 🎬",
        "data: x\n\n",
    ],
)
def test_any_text_stays_on_one_line_for_every_reader(text: str) -> None:
    data = encoded(numbered([started(), *visible_stage(RUN, [text]), RunFinished()]))
    deltas = [
        event["delta"] for _, event in read_frames(data) if event["type"] == "TEXT_MESSAGE_CONTENT"
    ]
    assert deltas == [text]
    assert len(data.decode().splitlines()) == data.count(b"\n")


def test_a_run_without_a_model_call_has_an_empty_usage_and_no_cost() -> None:
    last = events(numbered([started(), RunFinished()]))[-1]
    assert last == {
        "type": "RUN_FINISHED",
        "threadId": "my thread",
        "runId": "my run",
        "usage": [],
    }


def test_a_view_that_breaks_off_ends_with_one_error() -> None:
    encoder = Encoder(RUN, IDS, "1.0", SHOW_EVERYTHING)
    encoder.encode(whole_run()[:5])
    [(identity, event)] = read_frames(encoder.break_off("unavailable", "The database is away."))
    assert identity is None
    check_event(event)
    assert event["type"] == "RUN_ERROR"
    assert event["code"] == "unavailable"
    assert encoder.break_off("again", "") == b""


def test_a_run_that_has_ended_does_not_break_off() -> None:
    encoder = Encoder(RUN, IDS, "1.0", SHOW_EVERYTHING)
    encoder.encode(whole_run())
    assert encoder.break_off("late", "") == b""


def test_a_parent_run_is_named_as_the_client_names_it() -> None:
    encoder = Encoder(RUN, WireIds("t", "r", "the first"), "1.0", SHOW_EVERYTHING)
    (_, event), *_ = read_frames(encoder.encode(numbered([started()])))
    check_event(event)
    assert event["parentRunId"] == "the first"
