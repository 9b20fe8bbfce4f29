"""What of a run reaches a client, and in which form."""

from __future__ import annotations

from collections import Counter
from typing import Any
from uuid import UUID

import pytest

from callsheet.agui.encoder import Encoder
from callsheet.agui.run_frames import WireIds
from callsheet.agui.run_input import Protocol
from callsheet.events.entry import Entry
from callsheet.events.run import RunFinished
from callsheet.kit.ids import part_id
from tests.agui.frames import check_event, essence, read_frames
from tests.agui.journal import (
    RUN,
    SESSION,
    STARTED,
    TRACE,
    cancelled_run,
    failed_run,
    named,
    numbered,
    started,
    visible_stage,
    whole_run,
)

IDS = WireIds("my thread", "my run")
INTENT, ASK, ANSWER = named(RUN, "intent"), named(RUN, "ask"), named(RUN, "answer")
ROUTER, WORKER, CHECKER = named(RUN, "router"), named(RUN, "worker"), named(RUN, "coworker")
CALL = named(RUN, "call")


def thought(message: str, part: str) -> str:
    return str(part_id(UUID(message), part))


def encoded(entries: tuple[Entry, ...], protocol: Protocol = "1.0") -> bytes:
    return Encoder(RUN, IDS, protocol).encode(entries)


def events(entries: tuple[Entry, ...], protocol: Protocol = "1.0") -> list[dict[str, Any]]:
    return [essence(event) for _, event in read_frames(encoded(entries, protocol))]


def bill_of(message: str, seq: int) -> dict[str, Any]:
    return {
        "messageId": message,
        "seq": seq,
        "model": "deepseek-v3.2",
        "inputTokens": 60,
        "cachedInputTokens": 20,
        "outputTokens": 15,
        "reasoningTokens": 4,
        "cost": "0.000062",
        "currency": "USD",
        "latencyMs": 412,
        "estimated": False,
    }


def test_an_inner_stage_shows_as_a_step_a_sub_agent_and_its_reasoning() -> None:
    owner = {"subagentRunId": ROUTER}
    reasoning = {"messageId": thought(INTENT, "reasoning"), **owner}
    text = {"messageId": thought(INTENT, "text"), **owner}
    assert events(whole_run())[1:15] == [
        {"type": "STEP_STARTED", "stepName": "intent"},
        {
            "type": "SUBAGENT_STARTED",
            "subagentRunId": ROUTER,
            "name": "Router",
            "callsheet": {"agent": "router", "stage": "intent", "task": "route"},
        },
        {"type": "REASONING_START", **reasoning},
        {"type": "REASONING_MESSAGE_START", "role": "reasoning", **reasoning},
        {"type": "REASONING_MESSAGE_CONTENT", "delta": "A sum, ", **reasoning},
        {"type": "REASONING_MESSAGE_CONTENT", "delta": "I think.", **reasoning},
        {"type": "REASONING_MESSAGE_END", **reasoning},
        {"type": "REASONING_END", **reasoning},
        {"type": "REASONING_START", **text},
        {"type": "REASONING_MESSAGE_START", "role": "reasoning", **text},
        {"type": "REASONING_MESSAGE_CONTENT", "delta": '{"route":"tools"}', **text},
        {"type": "REASONING_MESSAGE_END", "callsheet": bill_of(INTENT, 2), **text},
        {"type": "REASONING_END", **text},
        {"type": "SUBAGENT_FINISHED", "subagentRunId": ROUTER},
    ]


def test_a_tool_call_shows_from_its_first_character_to_its_result() -> None:
    owner = {"subagentRunId": WORKER}
    of_call = [
        event
        for event in events(whole_run())
        if event["type"].startswith("TOOL") or event.get("parentToolCallId")
    ]
    assert of_call == [
        {
            "type": "TOOL_CALL_START",
            "toolCallId": CALL,
            "toolCallName": "calculator",
            "parentMessageId": ASK,
            **owner,
        },
        {"type": "TOOL_CALL_ARGS", "toolCallId": CALL, "delta": '{"expression":', **owner},
        {"type": "TOOL_CALL_ARGS", "toolCallId": CALL, "delta": '"17*23"}', **owner},
        {"type": "TOOL_CALL_END", "toolCallId": CALL, "callsheet": bill_of(ASK, 3), **owner},
        {
            "type": "SUBAGENT_STARTED",
            "subagentRunId": CHECKER,
            "name": "Checker",
            "parentSubagentRunId": WORKER,
            "parentToolCallId": CALL,
            "callsheet": {"agent": "checker", "stage": "execution", "task": "work"},
        },
        {
            "type": "TOOL_CALL_RESULT",
            "messageId": named(RUN, "result"),
            "toolCallId": CALL,
            "content": "391",
            "role": "tool",
            "callsheet": {"status": "ok", "latencyMs": 3},
            **owner,
        },
    ]


def test_only_the_visible_stage_is_an_untagged_message_of_the_assistant() -> None:
    shown = events(whole_run())
    reasoning = thought(ANSWER, "reasoning")
    at = shown.index({"type": "REASONING_START", "messageId": reasoning})
    assert shown[at + 5 : at + 10] == [
        {"type": "TEXT_MESSAGE_START", "messageId": ANSWER, "role": "assistant"},
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": ANSWER, "delta": "17 x 23 "},
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": ANSWER, "delta": "is "},
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": ANSWER, "delta": "391."},
        {"type": "TEXT_MESSAGE_END", "messageId": ANSWER, "callsheet": bill_of(ANSWER, 5)},
    ]
    assert Counter(event["type"] for event in shown)["TEXT_MESSAGE_START"] == 1


def test_the_run_begins_and_ends_with_the_clients_own_ids_and_with_its_usage() -> None:
    shown = events(whole_run())
    assert shown[0] == {
        "type": "RUN_STARTED",
        "threadId": "my thread",
        "runId": "my run",
        "protocolVersion": "1.0",
        "callsheet": {
            "sessionId": str(SESSION),
            "runId": str(RUN),
            "workflow": "chat",
            "revision": "r1",
        },
    }
    assert shown[-1] == {
        "type": "RUN_FINISHED",
        "threadId": "my thread",
        "runId": "my run",
        "usage": [
            {
                "provider": "deepseek",
                "model": "deepseek-v3.2",
                "inputTokens": 120,
                "outputTokens": 30,
                "totalTokens": 150,
                "reasoningTokens": 4,
                "cachedInputTokens": 20,
            },
            {
                "provider": "qwen",
                "model": "qwen3.5-flash",
                "inputTokens": 40,
                "outputTokens": 10,
                "totalTokens": 50,
            },
        ],
        "callsheet": {"cost": "0.000124", "currency": "USD", "messageId": ANSWER},
    }


def test_a_failed_run_ends_its_agent_and_itself_with_an_error() -> None:
    shown = events(failed_run())
    assert shown[-3] == {
        "type": "SUBAGENT_ERROR",
        "subagentRunId": named(RUN, "writer"),
        "message": "The provider answered 503.",
        "code": "failed",
    }
    assert shown[-2]["callsheet"] == {"status": "failed"}
    assert shown[-1]["type"] == "RUN_ERROR"
    assert shown[-1]["code"] == "provider_error"
    assert shown[-1]["message"] == "The provider answered 503."
    assert shown[-1]["usage"][0]["totalTokens"] == 150


def test_a_stopped_run_is_cancelled_for_new_clients_and_finished_for_old_ones() -> None:
    new, old = events(cancelled_run())[-1], events(cancelled_run(), "0.x")[-1]
    assert new.pop("outcome") == {"type": "cancelled"}
    assert old.pop("metadata") == {"finishReason": "cancelled"}
    assert new == old
    assert new["type"] == "RUN_FINISHED"
    assert new["callsheet"]["reason"] == "user"


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
    assert [identity for identity, _ in frames if identity and ":4." in identity] == [
        f"{RUN}:4.1",
        f"{RUN}:4.2",
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
    encoder = Encoder(RUN, IDS, "1.0")
    assert b"".join(encoder.encode([entry]) for entry in entries) == encoded(entries)


def test_what_is_only_for_the_record_gives_no_bytes() -> None:
    entries = whole_run()
    hidden = {"AnswerFinished", "TaskFinished", "StageSkipped", "StageRetried", "ToolStarted"}
    encoder = Encoder(RUN, IDS, "1.0")
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
    encoder = Encoder(RUN, IDS, "1.0")
    encoder.encode(whole_run()[:5])
    [(identity, event)] = read_frames(encoder.break_off("unavailable", "The database is away."))
    assert identity is None
    check_event(event)
    assert event["type"] == "RUN_ERROR"
    assert event["code"] == "unavailable"
    assert encoder.break_off("again", "") == b""


def test_a_run_that_has_ended_does_not_break_off() -> None:
    encoder = Encoder(RUN, IDS, "1.0")
    encoder.encode(whole_run())
    assert encoder.break_off("late", "") == b""


def test_a_parent_run_is_named_as_the_client_names_it() -> None:
    encoder = Encoder(RUN, WireIds("t", "r", "the first"), "1.0")
    [(_, event)] = read_frames(encoder.encode(numbered([started()])))
    check_event(event)
    assert event["parentRunId"] == "the first"
