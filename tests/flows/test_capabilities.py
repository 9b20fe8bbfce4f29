"""Whatever is claimed of a workflow is true: each claim is tried."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest

from tests.fakes.agui_client import AgUiClient
from tests.fakes.chat_script import EXECUTION, chat_script
from tests.fakes.deployment import Deployment
from tests.fakes.provider.server import FakeProvider
from tests.fixtures.app import Serve
from tests.flows.todos import lists, rounds, todo_call
from tests.flows.waiting import MAIL, answer, asking, interrupts, resolved, waits

SUMS: Final = [
    {"name": "calculator", "arguments": json.dumps({"expression": each})} for each in ("6*7", "2+3")
]
CLAIMS: Final = {
    "identity": {"name", "type", "provider", "description"},
    "transport": {"streaming", "websocket", "httpBinary", "pushNotifications", "resumable"},
    "tools": {"supported", "parallelCalls", "clientProvided"},
    "state": {"snapshots", "deltas", "memory", "persistentState"},
    "multiAgent": {"supported", "delegation", "handoffs", "subagents"},
    "reasoning": {"supported", "streaming", "encrypted"},
    "multimodal": {"input"},
    "execution": {"codeExecution", "maxIterations", "maxExecutionTime"},
    "humanInTheLoop": {"supported", "interrupts", "approvals", "approveWithEdits"},
    "custom": {"callsheet"},
}
"""All that is claimed; a claim that is added needs a test here."""


async def claimed(agui: AgUiClient) -> dict[str, Any]:
    answered = await agui.http.get("/v1/agent-chat/chat/capabilities")
    assert answered.status_code == 200
    value: dict[str, Any] = answered.json()
    return value


async def test_nothing_else_is_claimed(agui: AgUiClient) -> None:
    assert {group: set(claims) for group, claims in (await claimed(agui)).items()} == CLAIMS


async def test_who_it_is_and_what_it_is_made_of(agui: AgUiClient, provider: FakeProvider) -> None:
    claims = await claimed(agui)
    own = claims["custom"]["callsheet"]
    assert (claims["identity"]["name"], claims["identity"]["type"]) == ("Chat", "crewai")
    provider.scenario = chat_script(execution={"tools": SUMS})
    turn = await agui.ask("6*7?")
    started = turn.events[0]["metadata"]["callsheet"]
    assert (own["workflow"], own["revision"]) == (started["workflow"], started["revision"])
    assert own["stages"] == turn.steps
    agents = [event["metadata"]["callsheet"]["agent"] for event in turn.of("SUBAGENT_STARTED")]
    assert [each["name"] for each in claims["multiAgent"]["subagents"]] == agents
    assert claims["multiAgent"]["supported"] is (len(agents) > 1)
    [offered] = [
        body["tools"] for body in provider.bodies[:2] if EXECUTION in str(body["messages"])
    ]
    assert sorted(tool["function"]["name"] for tool in offered) == own["tools"]
    shown = {event["activityType"] for event in turn.of("ACTIVITY_SNAPSHOT")}
    assert {"callsheet.cost", "callsheet.stage"} == shown <= set(own["activities"])
    assert {"callsheet.todo", "callsheet.sources"} <= set(own["activities"])
    provider.scenario = rounds([todo_call(">look")])
    assert lists(await agui.ask("Look.")) != []
    assert own["shows"] == {"costs": True, "models": True}
    assert "cost" in turn.last["metadata"]["callsheet"]
    assert turn.last["usage"][0]["model"]


async def test_the_stream_comes_as_it_is_made_and_can_be_resumed(
    agui: AgUiClient, provider: FakeProvider
) -> None:
    transport = (await claimed(agui))["transport"]
    assert transport == {
        "streaming": True,
        "websocket": False,
        "httpBinary": False,
        "pushNotifications": False,
        "resumable": True,
    }
    provider.scenario = chat_script(execution={"fault": "stall", "fault_at": 2})
    async with agui.open("Take your time.") as (turn, events):
        thought = ""
        async for event in events:  # while the model is still at it
            thought += event["delta"] if event["type"] == "REASONING_MESSAGE_CONTENT" else ""
            if "The work" in thought:
                break
        run_id, place = turn.headers["x-run-id"], turn.frame_ids[-1]
        assert turn.headers["content-type"].startswith("text/event-stream")
    await agui.http.post(f"/v1/runs/{run_id}/cancel")
    async with agui.watch(run_id, last_event_id=place) as (rest, events):
        async for _ in events:
            pass
    assert rest.frame_ids[0] > place
    assert rest.last["outcome"] == {"type": "cancelled"}


async def test_what_is_not_claimed_of_the_transport_is_not_there(agui: AgUiClient) -> None:
    upgrade = {"connection": "Upgrade", "upgrade": "websocket", "sec-websocket-version": "13",
               "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ=="}  # fmt: skip
    assert (await agui.http.get("/v1/agent-chat", headers=upgrade)).status_code == 405
    binary = {"accept": "application/vnd.ag-ui.event+proto"}
    answered = await agui.http.post("/v1/agent-chat", json=agui.body("Hello"), headers=binary)
    assert answered.headers["content-type"].startswith("text/event-stream")


async def test_tools_are_called_two_in_one_answer(agui: AgUiClient, provider: FakeProvider) -> None:
    tools = (await claimed(agui))["tools"]
    assert (tools["supported"], tools["parallelCalls"]) == (True, True)
    provider.scenario = chat_script(complexity="simple", execution={"tools": SUMS})
    turn = await agui.ask("6*7 and 2+3?")
    assert turn.breaches == []
    kinds = turn.kinds()
    assert kinds.count("TOOL_CALL_START") == 2
    assert kinds.index("TOOL_CALL_RESULT") > len(kinds) - 1 - kinds[::-1].index("TOOL_CALL_START")
    assert sorted(each["content"] for each in turn.of("TOOL_CALL_RESULT")) == ["42", "5"]
    assert provider.stats.requests == 3


async def test_a_client_brings_tools(agui: AgUiClient, provider: FakeProvider) -> None:
    assert (await claimed(agui))["tools"]["clientProvided"] is True
    provider.scenario = asking(("pick_file", {}))
    pick = {"name": "pick_file", "description": "Picks.", "parameters": {"type": "object"}}
    turn = await agui.ask("Open it.", tools=[pick])
    [call] = turn.of("TOOL_CALL_START")
    assert turn.last["outcome"]["pendingToolCallIds"] == [call["toolCallId"]]


async def test_the_state_is_told_and_not_kept(agui: AgUiClient) -> None:
    assert (await claimed(agui))["state"] == {
        "snapshots": True,
        "deltas": True,
        "memory": False,
        "persistentState": False,
    }
    first = await agui.ask("Hello", thread_id="t", state={"cart": [1]})
    assert first.of("STATE_DELTA")[0]["delta"][0]["path"] == "/callsheet"
    second = await agui.ask("Hello", thread_id="t")
    [snapshot] = second.of("STATE_SNAPSHOT")
    assert set(snapshot["snapshot"]) == {"callsheet"}
    other = await agui.ask("What did I say?", thread_id="u")
    assert other.breaches == []


async def test_reasoning_streams_as_plain_text(agui: AgUiClient, provider: FakeProvider) -> None:
    reasoning = (await claimed(agui))["reasoning"]
    assert reasoning == {"supported": True, "streaming": True, "encrypted": False}
    provider.scenario = chat_script(organization={"reasoning": 9, "fault": "stall", "fault_at": 2})
    async with agui.open("Think.") as (turn, events):
        async for event in events:
            if event["type"] == "REASONING_MESSAGE_CONTENT" and "r00001" in event["delta"]:
                break
        await agui.http.post(f"/v1/runs/{turn.headers['x-run-id']}/cancel")
    assert turn.of("REASONING_ENCRYPTED_VALUE") == []


@pytest.mark.parametrize("kind", ["image", "audio", "video", "document", "binary"])
async def test_only_text_is_taken(agui: AgUiClient, kind: str) -> None:
    assert set((await claimed(agui))["multimodal"]["input"].values()) == {False}
    source = {"type": "data", "value": "aGVsbG8=", "mimeType": "image/png"}
    content = [{"type": "text", "text": "Look"}, {"type": kind, "source": source}]
    turn = await agui.ask("", messages=[{"id": "m", "role": "user", "content": content}])
    assert (turn.status, turn.problem["code"]) == (422, "part_not_allowed")


async def test_no_run_asks_for_tools_more_often_than_is_claimed(
    deployment: Deployment, serve: Serve, provider: FakeProvider
) -> None:
    deployment.edit("crews/chat/agents.yaml", "  client_tools: true\n", "  max_iter: 2\n")
    async with serve(deployment) as (agui, _):
        execution = (await claimed(agui))["execution"]
        assert execution["codeExecution"] is False
        assert execution["maxIterations"] == 2 * 10 + 2 + 10  # intent may begin twice
        provider.scenario = chat_script(execution={"tools": SUMS[:1], "tools_always": True})
        turn = await agui.ask("Again and again")
        assert len(turn.of("TOOL_CALL_START")) == 2


async def test_no_run_takes_longer_than_is_claimed(
    deployment: Deployment, serve: Serve, provider: FakeProvider
) -> None:
    for timeout in (600, 60, 300, 120):
        deployment.edit("crews/chat/workflow.yaml", f"timeout_s: {timeout}", "timeout_s: 1.5")
    provider.scenario = chat_script(execution={"fault": "hang"})
    async with serve(deployment) as (agui, _):
        most_ms = (await claimed(agui))["execution"]["maxExecutionTime"]
        assert most_ms == 1500
        turn = await agui.ask("Slowly")
        assert (turn.last["type"], turn.last["code"]) == ("RUN_ERROR", "stage_timeout")
        assert turn.last["timestamp"] - turn.events[0]["timestamp"] < most_ms * 10


async def test_agents_ask_each_other_only_where_that_is_claimed(
    deployment: Deployment, serve: Serve, provider: FakeProvider
) -> None:
    deployment.edit(
        "crews/chat/agents.yaml", "  client_tools: true\n", "  allow_delegation: true\n"
    )
    deployment.edit("crews/chat/workflow.yaml", "agents: [worker]", "agents: [worker, writer]")
    async with serve(deployment) as (agui, _):
        claims = await claimed(agui)
        assert claims["multiAgent"]["delegation"] is True
        assert claims["multiAgent"]["handoffs"] is False
        assert claims["tools"]["clientProvided"] is False
        await agui.ask("Hello")
        offered = str([body.get("tools") for body in provider.bodies])
        assert "coworker" in offered


async def test_nobody_asks_a_coworker_where_it_is_not_claimed(
    agui: AgUiClient, provider: FakeProvider
) -> None:
    assert (await claimed(agui))["multiAgent"]["delegation"] is False
    await agui.ask("Hello")
    assert "coworker" not in str([body.get("tools") for body in provider.bodies])


async def test_people_are_asked_and_may_change_what_they_allow(
    agui: AgUiClient, provider: FakeProvider
) -> None:
    assert set((await claimed(agui))["humanInTheLoop"].values()) == {True}
    question = await waits(agui, provider)
    assert [each["reason"] for each in interrupts(question)] == ["question"]
    approval = await waits(agui, provider, ("send_mail", MAIL))
    [asked] = interrupts(approval)
    assert asked["reason"] == "approval"
    edited = {"approved": True, "arguments": {**MAIL, "to": ["bo@b.example"]}}
    after = await answer(agui, approval, resolved(asked, edited))
    assert "bo@b.example" in after.of("TOOL_CALL_RESULT")[0]["content"]


async def test_nobody_is_asked_where_that_is_not_claimed(
    deployment: Deployment, serve: Serve, provider: FakeProvider
) -> None:
    deployment.give_tools("calculator")
    async with serve(deployment) as (agui, _):
        assert set((await claimed(agui))["humanInTheLoop"].values()) == {False}
        provider.scenario = asking(("send_mail", MAIL))
        turn = await agui.ask("Send it.")
        assert turn.last["type"] == "RUN_FINISHED"
        assert turn.last.get("outcome", {}).get("type", "success") == "success"
