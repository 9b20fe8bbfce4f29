"""The official AG-UI clients of both generations take our stream without a complaint."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest

from tests.api.fake import ALICE, World
from tests.api.live import serve
from tests.plugins.needs import WEB, node

pytestmark = [
    pytest.mark.needs("node"),
    pytest.mark.parametrize("generation", ["agui-1.0", "agui-0.0"]),
]


def talk(generation: str, *threads: list[str], state: Any = None) -> dict[str, Any]:
    with serve(World()) as address:
        url = f"{address}/v1/agent-chat"
        asked = {"url": url, "headers": ALICE, "threads": threads, "state": state}
        done = subprocess.run(
            [
                str(node()),
                str(WEB / "official_client.mjs"),
                str(WEB / generation),
                json.dumps(asked),
            ],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def test_turns_of_a_thread_build_the_messages_that_were_streamed(generation: str) -> None:
    result = talk(generation, ["first", "second"])
    [thread] = result["threads"]
    assert result["complaints"] == []
    assert [turn["outcome"] for turn in thread["turns"]] == ["success", "success"]
    assert [turn["rejected"] for turn in thread["turns"]] == [None, None]
    answers = [
        each for each in thread["messages"] if each["role"] == "assistant" and each.get("content")
    ]
    assert [each["content"] for each in answers] == [
        "You said first - 391.",
        "You said second - 391.",
    ]
    assert answers[0]["metadata"]["callsheet"]["cost"] == "0.000001"
    results = [each["content"] for each in thread["messages"] if each["role"] == "tool"]
    assert results == ["391", "391"]
    thoughts = [each["content"] for each in thread["messages"] if each["role"] == "reasoning"]
    assert thoughts[:3] == ["A sum, I think.", '{"route":"tools"}', "It is right."]
    assert thread["turns"][0]["usage"][0]["totalTokens"] == 150
    assert thread["turns"][0]["events"]["SUBAGENT_STARTED"] == 4
    assert thread["turns"][0]["events"]["STEP_FINISHED"] == 3


def test_what_was_taken_back_is_gone_and_nothing_else_is(generation: str) -> None:
    result = talk(generation, ["first", "again", "last"])
    [thread] = result["threads"]
    assert result["complaints"] == []
    assert thread["turns"][1]["events"]["MESSAGES_SNAPSHOT"] == 1
    assert [turn["rejected"] for turn in thread["turns"]] == [None] * 3
    shown = [
        (each["role"], each.get("content"))
        for each in thread["messages"]
        if each["role"] != "reasoning" and each["role"] != "activity"
    ]
    tools = [("assistant", None), ("tool", "391")]
    assert shown[:8] == [
        ("user", "first"),
        *tools,
        ("assistant", "17 x 23 is 391."),  # what the server has of it
        ("user", "again"),
        *tools,
        ("assistant", "17 x 23 is 391."),
    ]
    assert shown[8] == ("user", "last")
    calls = [call["id"] for each in thread["messages"] for call in each.get("toolCalls", ())]
    assert len(calls) == len(set(calls)) > 2
    thoughts = [each["content"] for each in thread["messages"] if each["role"] == "reasoning"]
    assert "Sure?" in thoughts


def test_a_failed_run_is_an_error_that_does_not_reject(generation: str) -> None:
    result = talk(generation, ["fail"])
    [turn] = result["threads"][0]["turns"]
    assert turn["runError"] == {"code": "provider_error", "message": "The provider answered 503."}
    assert turn["rejected"] is None
    assert result["complaints"] == []


def test_a_stopped_run_ends_as_this_generation_knows_it(generation: str) -> None:
    result = talk(generation, ["stop"])
    [turn] = result["threads"][0]["turns"]
    assert turn["outcome"] == ("cancelled" if generation == "agui-1.0" else "success")
    assert (turn["rejected"], turn["runError"]) == (None, None)
    assert result["complaints"] == []


def test_a_stream_that_breaks_off_is_an_error_for_the_client(generation: str) -> None:
    [turn] = talk(generation, ["break"])["threads"][0]["turns"]
    assert turn["runError"]["code"] == "unavailable"


def test_a_refusal_rejects_with_its_status(generation: str) -> None:
    [turn] = talk(generation, ["busy"])["threads"][0]["turns"]
    assert "409" in turn["rejected"]


def test_threads_at_the_same_time_see_only_their_own(generation: str) -> None:
    marks = [f"mark-{number}-end" for number in range(8)]
    result = talk(generation, *[[mark] for mark in marks])
    assert result["complaints"] == []
    for mark, thread in zip(marks, result["threads"], strict=True):
        said = json.dumps(thread["messages"])
        assert [other for other in marks if other in said] == [mark]


@pytest.mark.parametrize("own", [{}, {"cart": [1], "callsheet": "mine"}, {"cart": {"a": None}}])
def test_the_sessions_total_stands_in_the_state_beside_the_clients_own(
    generation: str, own: dict[str, Any]
) -> None:
    result = talk(generation, ["first", "second"], state=own)
    [thread] = result["threads"]
    ours = thread["state"].pop("callsheet")
    assert thread["state"] == {name: value for name, value in own.items() if name == "cart"}
    assert ours["session"] == {"totalTokens": 1_200, "totalCost": "0.500124", "currency": "USD"}
    assert ours["run"]["totalCost"] == "0.000124"
    assert result["complaints"] == []
    assert [turn["rejected"] for turn in thread["turns"]] == [None, None]


def test_each_run_leaves_one_activity_with_what_it_spent(generation: str) -> None:
    result = talk(generation, ["first", "second"])
    [thread] = result["threads"]
    told = [each for each in thread["messages"] if each.get("activityType") == "callsheet.cost"]
    assert len(told) == 2
    assert [each["content"]["total"]["cost"] for each in told] == ["0.000124"] * 2
    stages = [stage["stage"] for stage in told[0]["content"]["stages"]]
    assert stages == ["intent", "execution", "organization"]
    assert thread["turns"][0]["events"]["ACTIVITY_SNAPSHOT"] == 4
    assert result["complaints"] == []
