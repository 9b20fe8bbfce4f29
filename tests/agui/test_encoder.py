"""What of a run reaches a client, and in which form."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any
from uuid import UUID

from callsheet.kit.ids import part_id
from tests.agui.calls import named
from tests.agui.encoded import events
from tests.agui.journal import RUN, SESSION, cancelled_run, failed_run, whole_run

INTENT, ASK, ANSWER = named(RUN, "intent"), named(RUN, "ask"), named(RUN, "answer")
ROUTER, WORKER, CHECKER = named(RUN, "router"), named(RUN, "worker"), named(RUN, "coworker")
CALL = named(RUN, "call")


def thought(message: str, part: str) -> str:
    return str(part_id(UUID(message), part))


def without_costs(shown: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Without what `test_cost_frames` looks at."""
    return [each for each in shown if not each["type"].startswith(("STATE_", "ACTIVITY_"))]


def bill_of(message: str, seq: int, model: str, tokens: str, cost: str) -> dict[str, Any]:
    given, cached, made, thought = map(int, tokens.split())
    return {
        "messageId": message,
        "seq": seq,
        "model": model,
        "inputTokens": given,
        "cachedInputTokens": cached,
        "outputTokens": made,
        "reasoningTokens": thought,
        "cost": cost,
        "currency": "USD",
        "latencyMs": 412,
        "estimated": False,
    }


BILL_OF_INTENT = bill_of(INTENT, 2, "deepseek-v3.2", "60 20 15 4", "0.000062")
BILL_OF_ASK = bill_of(ASK, 3, "deepseek-v3.2", "60 0 15 0", "0.000061")
BILL_OF_ANSWER = bill_of(ANSWER, 5, "qwen3.5-flash", "40 0 10 0", "0.000001")


def test_an_inner_stage_shows_as_a_step_a_sub_agent_and_its_reasoning() -> None:
    owner = {"subagentRunId": ROUTER}
    reasoning = {"messageId": thought(INTENT, "reasoning"), **owner}
    text = {"messageId": thought(INTENT, "text"), **owner}
    assert without_costs(events(whole_run()))[1:15] == [
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
        {"type": "REASONING_MESSAGE_END", "callsheet": BILL_OF_INTENT, **text},
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
        {"type": "TOOL_CALL_END", "toolCallId": CALL, "callsheet": BILL_OF_ASK, **owner},
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
    shown = without_costs(events(whole_run()))
    reasoning = thought(ANSWER, "reasoning")
    at = shown.index({"type": "REASONING_START", "messageId": reasoning})
    assert shown[at + 5 : at + 10] == [
        {"type": "TEXT_MESSAGE_START", "messageId": ANSWER, "role": "assistant"},
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": ANSWER, "delta": "17 x 23 "},
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": ANSWER, "delta": "is "},
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": ANSWER, "delta": "391."},
        {"type": "TEXT_MESSAGE_END", "messageId": ANSWER, "callsheet": BILL_OF_ANSWER},
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
    shown = without_costs(events(failed_run()))
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
    assert shown[-1]["usage"][0]["totalTokens"] == 75


def test_a_stopped_run_is_cancelled_for_new_clients_and_finished_for_old_ones() -> None:
    new, old = events(cancelled_run())[-1], events(cancelled_run(), "0.x")[-1]
    assert new.pop("outcome") == {"type": "cancelled"}
    assert old.pop("metadata") == {"finishReason": "cancelled"}
    assert new == old
    assert new["type"] == "RUN_FINISHED"
    assert new["callsheet"]["reason"] == "user"
