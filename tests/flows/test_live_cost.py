"""Money on the stream of a real turn: what a client is told is what the ledger booked."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

from tests.agui.encoded import state_after
from tests.fakes.agui_client import AgUiClient, Turn
from tests.fakes.books import Books
from tests.fakes.chat_script import chat_script
from tests.fakes.deployment import Deployment
from tests.fakes.provider.server import FakeProvider
from tests.fixtures.app import Serve


def ours(turn: Turn, state: Any = None) -> Any:
    """What of ours stands in the client's state at the end."""
    return state_after(turn.events, state)["callsheet"]


def spending(turn: Turn) -> dict[str, Any]:
    """What the last activity says."""
    content: dict[str, Any] = turn.of("ACTIVITY_SNAPSHOT")[-1]["content"]
    return content


async def test_the_state_of_each_turn_ends_with_the_total_of_the_session(
    agui: AgUiClient, books: Books
) -> None:
    for text in ("one", "two"):
        turn = await agui.ask(text, thread_id="thread", state={"cart": 1})
        assert turn.breaches == []
        session = (await agui.http.get(f"/v1/sessions/{turn.headers['x-session-id']}")).json()
        told = ours(turn, {"cart": 1})["session"]
        assert told["totalTokens"] == session["totalTokens"] > 0
        assert Decimal(told["totalCost"]) == Decimal(session["totalCost"]) > 0
    assert await books.audit() == {}


async def test_stages_agents_and_messages_cost_what_the_ledger_says(
    agui: AgUiClient, books: Books
) -> None:
    turn = await agui.ask("hello")
    booked = {
        row["stage"]: row
        for row in await books.rows(
            "SELECT stage, min(agent) AS agent, count(*) AS calls, sum(input_tokens) AS sent,"
            " round(sum(cost_exact), 6) AS cost FROM llm_calls GROUP BY stage"
        )
    }
    stages = spending(turn)["stages"]
    assert [stage["stage"] for stage in stages] == ["intent", "execution", "organization"]
    subagents = [event["subagentRunId"] for event in turn.of("SUBAGENT_STARTED")]
    for stage, subagent in zip(stages, subagents, strict=True):
        row = booked[stage["stage"]]
        [agent] = stage["agents"]
        assert (agent["agent"], agent["agentRunId"]) == (row["agent"], subagent)
        for sums in (stage, agent):
            assert (sums["calls"], sums["inputTokens"]) == (row["calls"], row["sent"])
            assert Decimal(sums["cost"]) == row["cost"]
    assert spending(turn)["total"]["cost"] == turn.last["metadata"]["callsheet"]["cost"]
    bills = [
        event["metadata"]["callsheet"]
        for event in turn.of("TEXT_MESSAGE_END", "REASONING_MESSAGE_END", "TOOL_CALL_END")
    ]
    total = sum((Decimal(bill["cost"]) for bill in bills if "cost" in bill), Decimal(0))
    assert total == Decimal(turn.last["metadata"]["callsheet"]["cost"])


async def test_who_looks_again_is_shown_the_same_frames(agui: AgUiClient) -> None:
    asked = agui.body("hello", run_id="run")
    first, again = [(await agui.http.post("/v1/agent-chat", json=asked)).content for _ in range(2)]
    assert b"STATE_DELTA" in first
    assert first == again


async def test_a_failed_attempt_is_counted_where_it_was_made(
    agui: AgUiClient, provider: FakeProvider, books: Books
) -> None:
    provider.scenario = chat_script(execution={"text": None, "chunks": 5, "fault": "drop",
                                               "fault_at": 3})  # fmt: skip
    turn = await agui.ask("hello")
    assert turn.last["type"] == "RUN_ERROR"
    content = spending(turn)
    assert [stage["estimated"] for stage in content["stages"]] == [False, True]
    assert content["total"]["cost"] == turn.last["metadata"]["callsheet"]["cost"]
    session = (await agui.http.get(f"/v1/sessions/{turn.headers['x-session-id']}")).json()
    assert Decimal(ours(turn)["session"]["totalCost"]) == Decimal(session["totalCost"])
    assert await books.audit() == {}


async def test_a_deployment_that_hides_both_tells_neither(
    deployment: Deployment, serve: Serve
) -> None:
    async with serve(deployment, show={"costs": False, "models": False}) as (agui, _):
        turn = await agui.ask("hello", thread_id="thread")
        said = json.dumps(turn.events).replace("callsheet.cost", "")
        for path in ("thread", "thread/messages", "thread/runs"):
            said += (await agui.http.get(f"/v1/sessions/{path}")).text
        said += (await agui.http.get("/v1/models")).text
    assert turn.breaches == []
    assert ours(turn)["session"]["totalTokens"] > 0
    hidden = ("USD", '"cost"', "totalCost", "qwen", "deepseek", "modelCode")
    assert [word for word in hidden if word in said] == []
