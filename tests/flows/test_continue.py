"""Going on where a run broke off: nothing that was done is asked, done or paid again."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from tests.fakes.agui_client import AgUiClient, Turn
from tests.fakes.books import Books
from tests.fakes.chat_script import chat_script
from tests.fakes.provider.server import FakeProvider

DOWN = {"fault": "status", "status": 500}


async def broken_off(agui: AgUiClient, provider: FakeProvider, **script: Any) -> Turn:
    provider.scenario = chat_script(**script)
    turn = await agui.ask("hello")
    assert turn.last["type"] == "RUN_ERROR"
    provider.scenario = chat_script()
    return turn


@pytest.mark.parametrize(("stage", "asked"), [("intent", 3), ("execution", 2), ("organization", 1)])
async def test_finished_stages_are_not_asked_again(
    agui: AgUiClient, provider: FakeProvider, books: Books, stage: str, asked: int
) -> None:
    turn = await broken_off(agui, provider, **{stage: DOWN})
    before = provider.stats.requests
    again = await agui.go_on(turn.headers["x-run-id"])

    assert again.breaches == []
    assert again.text == "Here is your answer."
    assert provider.stats.requests - before == asked
    assert len(again.steps) == asked
    began = again.events[0]
    assert began["parentRunId"] == turn.run_id
    assert began["threadId"] == turn.thread_id
    assert again.headers["x-session-id"] == turn.headers["x-session-id"]
    said = await books.messages(turn.headers["x-session-id"])
    assert [message["content"] for message in said if message["role"] == "user"] == ["hello"]
    session = turn.headers["x-session-id"]
    assert (
        await books.one("SELECT status FROM sessions WHERE id = $1::uuid", session) == "completed"
    )
    assert await books.audit() == {}


async def test_finished_tools_are_not_called_again(
    agui: AgUiClient, provider: FakeProvider, books: Books
) -> None:
    tools = [{"name": "calculator", "arguments": '{"expression": "6*7"}'}]
    turn = await broken_off(
        agui, provider, execution={"tools": tools, "fault": "drop", "fault_at": 2, "fault_every": 2}
    )
    [result] = turn.of("TOOL_CALL_RESULT")
    again = await agui.go_on(turn.headers["x-run-id"])

    assert again.breaches == []
    assert again.text == "Here is your answer."
    assert again.of("TOOL_CALL_START", "TOOL_CALL_RESULT") == []
    sent = [m for m in provider.bodies[-2]["messages"] if m["role"] == "tool"]
    assert [m["content"] for m in sent] == [result["content"]] == ["42"]
    assert await books.audit() == {}


async def test_a_stopped_run_can_be_gone_on_with(
    agui: AgUiClient, provider: FakeProvider, books: Books
) -> None:
    provider.scenario = chat_script(organization={"fault": "stall", "fault_at": 2})
    async with agui.open("hello") as (turn, events):
        async for event in events:
            if event["type"] == "TEXT_MESSAGE_CONTENT":
                break
        await agui.http.post(f"/v1/runs/{turn.headers['x-run-id']}/cancel")
        async for _ in events:
            pass
    provider.scenario = chat_script()
    before = provider.stats.requests
    again = await agui.go_on(turn.headers["x-run-id"])
    assert again.text == "Here is your answer."
    assert provider.stats.requests == before + 1
    assert await books.audit() == {}


async def test_answers_that_were_at_fault_are_asked_for_anew(
    agui: AgUiClient, provider: FakeProvider, books: Books
) -> None:
    turn = await broken_off(agui, provider, intent={"text": "no JSON at all"})
    assert turn.last["code"] == "invalid_output"
    again = await agui.go_on(turn.headers["x-run-id"])
    assert again.breaches == []
    assert again.text == "Here is your answer."
    assert await books.audit() == {}


async def test_a_continuation_that_fails_can_be_gone_on_with_too(
    agui: AgUiClient, provider: FakeProvider, books: Books
) -> None:
    first = await broken_off(agui, provider, execution=DOWN)
    provider.scenario = chat_script(organization=DOWN)
    second = await agui.go_on(first.headers["x-run-id"])
    assert second.last["type"] == "RUN_ERROR"
    provider.scenario = chat_script()
    before = provider.stats.requests
    third = await agui.go_on(second.headers["x-run-id"])
    assert third.text == "Here is your answer."
    assert provider.stats.requests == before + 1
    root = await books.one(
        "SELECT root_run_id::text FROM runs WHERE id = $1::uuid", third.headers["x-run-id"]
    )
    assert root == first.headers["x-run-id"]
    assert await books.audit() == {}


async def test_the_same_run_id_again_shows_the_same_run(
    agui: AgUiClient, provider: FakeProvider, books: Books
) -> None:
    turn = await broken_off(agui, provider, organization=DOWN)
    own = str(uuid4())
    one = await agui.go_on(turn.headers["x-run-id"], runId=own)
    two = await agui.go_on(turn.headers["x-run-id"], runId=own)
    assert one.frame_ids == two.frame_ids
    assert await books.one("SELECT count(*) FROM runs") == 2


async def test_what_cannot_be_gone_on_with_is_refused(
    agui: AgUiClient, provider: FakeProvider, books: Books
) -> None:
    provider.scenario = chat_script()
    whole = await agui.ask("hello")
    refused = await agui.go_on(whole.headers["x-run-id"])
    assert (refused.status, refused.problem["code"]) == (409, "run_not_over")

    unknown = await agui.go_on(str(uuid4()))
    assert (unknown.status, unknown.problem["code"]) == (404, "not_found")

    turn = await broken_off(agui, provider, organization=DOWN)
    later = await agui.ask("and now?", thread_id=turn.thread_id)
    assert later.last["type"] == "RUN_FINISHED"
    passed = await agui.go_on(turn.headers["x-run-id"])
    assert (passed.status, passed.problem["code"]) == (409, "run_not_last")
    wrong = await agui.http.post(f"/v1/runs/{turn.headers['x-run-id']}/continue", json={"runId": 7})
    assert (wrong.status_code, wrong.json()["field"]) == (422, "runId")
    assert await books.one("SELECT count(*) FROM runs") == 3


async def test_what_is_under_way_is_not_gone_on_with(
    agui: AgUiClient, provider: FakeProvider
) -> None:
    provider.scenario = chat_script(intent={"fault": "hang"})
    async with agui.open("hello") as (turn, events):
        await provider.until(lambda seen: seen.open == 1)
        refused = await agui.go_on(turn.headers["x-run-id"])
        assert (refused.status, refused.problem["code"]) == (409, "run_active")
        await agui.http.post(f"/v1/runs/{turn.headers['x-run-id']}/cancel")
        async for _ in events:
            pass


async def test_a_message_that_was_deleted_is_not_asked_again(
    agui: AgUiClient, provider: FakeProvider, books: Books
) -> None:
    turn = await broken_off(agui, provider, execution=DOWN)
    asked = provider.stats.requests
    [message] = [m for m in await books.messages(turn.headers["x-session-id"]) if m["seq"] == 1]
    path = f"/v1/sessions/{turn.headers['x-session-id']}/messages/{message['id']}"
    assert (await agui.http.delete(path)).status_code == 204
    refused = await agui.http.post(f"/v1/runs/{turn.headers['x-run-id']}/continue")
    assert (refused.status_code, refused.json()["code"]) == (404, "not_found")
    assert provider.stats.requests == asked


async def test_what_the_application_told_is_told_again(
    agui: AgUiClient, provider: FakeProvider
) -> None:
    provider.scenario = chat_script(organization=DOWN)
    turn = await agui.ask("hello", context=[{"description": "Cart", "value": "apples"}])
    provider.scenario = chat_script()
    again = await agui.go_on(turn.headers["x-run-id"])
    assert again.text == "Here is your answer."
    assert "Cart:\napples" in str(provider.bodies[-1]["messages"][-1]["content"])


async def test_the_tools_that_the_client_brought_are_still_there(
    agui: AgUiClient, provider: FakeProvider
) -> None:
    pick = {"name": "pick_file", "description": "Picks.", "parameters": {"type": "object"}}
    provider.scenario = chat_script(execution=DOWN)
    turn = await agui.ask("hello", tools=[pick])
    for _ in range(2):
        turn = await agui.go_on(turn.headers["x-run-id"])
        offered = [tool["function"]["name"] for tool in provider.bodies[-1]["tools"]]
        assert "pick_file" in offered
