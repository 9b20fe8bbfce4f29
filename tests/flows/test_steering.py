"""A message that comes while a run is active goes into it: as clients see it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.fakes.agui_client import AgUiClient, Turn
from tests.fakes.chat_script import chat_script, judged
from tests.fakes.deployment import Deployment
from tests.fakes.provider.server import FakeProvider
from tests.fakes.two_apps import two_apps
from tests.fixtures.app import Serve

SUM = {"name": "calculator", "arguments": '{"expression": "17*23"}'}
STALLED = {"text": judged("simple"), "chunks": 5, "fault": "stall", "fault_at": 2}
HELD = {"text": judged("simple"), "chunks": 5, "held": True}


@pytest.fixture
def steering(deployment: Deployment) -> Deployment:
    deployment.edit(
        "crews/chat/workflow.yaml", "timeout_s: 600", "timeout_s: 600\nwhen_busy: steer"
    )
    return deployment


async def until_it_works(events: AsyncIterator[dict[str, Any]]) -> None:
    """The first model has begun to answer: what comes now is not in its question."""
    async for event in events:
        if event["type"] == "REASONING_MESSAGE_CONTENT":
            return


async def rest(turn: Turn, events: AsyncIterator[dict[str, Any]]) -> Turn:
    async for _ in events:
        pass
    turn.finish()
    assert turn.breaches == []
    return turn


def told(turn: Turn) -> list[str]:
    """What came in meanwhile, as the activity says it."""
    return [
        event["content"]["text"]
        for event in turn.of("ACTIVITY_SNAPSHOT")
        if event["activityType"] == "callsheet.steered"
    ]


def taken_by(turn: Turn) -> str | None:
    assert turn.last["type"] == "RUN_FINISHED"
    found: str | None = turn.last["metadata"]["callsheet"].get("steeredRunId")
    return found


async def contents(agui: AgUiClient, session_id: str) -> list[str]:
    found = (await agui.http.get(f"/v1/sessions/{session_id}/messages")).json()
    return [each["content"] for each in found["items"] if each["role"] == "user"]


async def test_a_message_goes_in_before_the_second_question_to_a_model(
    steering: Deployment, serve: Serve, provider: FakeProvider
) -> None:
    provider.scenario = chat_script(intent=HELD, execution={"tools": [SUM]})
    async with serve(steering) as (agui, books):
        async with agui.open("What is 17*23?") as (first, events):
            await until_it_works(events)
            async with agui.open("In words", thread_id=first.thread_id) as (second, others):
                provider.release()
                await rest(second, others)
            await rest(first, events)
        run_id = first.headers["x-run-id"]
        assert taken_by(second) == run_id
        assert second.kinds() == ["RUN_STARTED", "STATE_SNAPSHOT", "RUN_FINISHED"]
        assert (told(first), first.text) == (["In words"], "The work is done.")
        session = first.headers["x-session-id"]
        assert await contents(agui, session) == ["What is 17*23?", "In words"]
        [judge, *asked] = provider.bodies
        assert "In words" not in str(judge)
        assert all(str(body).count("In words") == 1 for body in asked)
        again = (await agui.http.get(f"/v1/runs/{second.headers['x-run-id']}")).json()
        assert (again["status"], again["usage"]) == ("succeeded", [])
        async with agui.watch(run_id) as (later, replayed):
            await rest(later, replayed)
        assert later.events == first.events
        assert await books.audit() == {}


async def test_the_next_turn_has_both_messages_before_the_answer(
    steering: Deployment, serve: Serve, provider: FakeProvider
) -> None:
    provider.scenario = chat_script(intent=HELD)
    async with serve(steering) as (agui, _):
        async with agui.open("One") as (first, events):
            await until_it_works(events)
            two = asyncio.create_task(agui.ask("Two", thread_id=first.thread_id))
            three = await _let_in(agui, first, 2)
            provider.release()
            await rest(first, events)
        assert three == 2
        assert taken_by(await two) == first.headers["x-run-id"]
        provider.scenario = chat_script(complexity="simple")
        before = len(provider.bodies)
        await agui.ask("Three", thread_id=first.thread_id)
        work = provider.bodies[before + 1]["messages"]
        assert [(m["role"], m["content"]) for m in work[1:-1]] == [
            ("user", "One"),
            ("user", "Two"),
            ("assistant", "The work is done."),
        ]


async def _let_in(agui: AgUiClient, turn: Turn, runs: int) -> int:
    """Wait until the session has so many runs."""
    url = f"/v1/sessions/{turn.headers['x-session-id']}/runs"
    async with asyncio.timeout(30):
        while len((await agui.http.get(url)).json()["items"]) < runs:
            await asyncio.sleep(0.02)
    return runs


async def test_what_comes_too_late_is_the_next_turn(
    steering: Deployment, serve: Serve, provider: FakeProvider
) -> None:
    answer = {"text": None, "chunks": 4, "held": True}
    provider.scenario = chat_script(complexity="simple", execution=answer)
    async with serve(steering) as (agui, books):
        async with agui.open("One") as (first, events):
            async for event in events:
                if event["type"] == "TEXT_MESSAGE_CONTENT":
                    break
            async with agui.open("Two", thread_id=first.thread_id) as (second, others):
                provider.release()
                await rest(first, events)
                await rest(second, others)
        assert told(first) == []
        assert taken_by(second) is None
        assert second.text
        assert await books.audit() == {}


async def test_a_stop_of_the_active_run_has_the_message_answered_by_its_own(
    steering: Deployment, serve: Serve, provider: FakeProvider
) -> None:
    provider.scenario = chat_script(intent=HELD)
    async with serve(steering) as (agui, _):
        async with agui.open("One") as (first, events):
            await until_it_works(events)
            async with agui.open("Two", thread_id=first.thread_id) as (second, others):
                await agui.http.post(f"/v1/runs/{first.headers['x-run-id']}/cancel")
                provider.scenario = chat_script(complexity="simple")
                await rest(first, events)
                await rest(second, others)
        assert first.last["outcome"] == {"type": "cancelled"}
        assert (taken_by(second), second.text) == (None, "The work is done.")


async def test_what_is_stopped_or_deleted_while_it_waits_goes_nowhere(
    steering: Deployment, serve: Serve, provider: FakeProvider
) -> None:
    provider.scenario = chat_script(intent=HELD)
    async with serve(steering) as (agui, books):
        async with agui.open("One") as (first, events):
            await until_it_works(events)
            async with agui.open("Two", thread_id=first.thread_id) as (second, others):
                stopped = await agui.http.post(f"/v1/runs/{second.headers['x-run-id']}/cancel")
                await rest(second, others)
            provider.release()
            await rest(first, events)
        assert stopped.json()["status"] == "cancelled"
        assert (told(first), second.last["outcome"]) == ([], {"type": "cancelled"})
        session = first.headers["x-session-id"]
        assert await contents(agui, session) == ["One"]
        provider.scenario = chat_script(intent=STALLED)
        async with agui.open("Three", thread_id=first.thread_id) as (third, events):
            await until_it_works(events)
            async with agui.open("Four", thread_id=first.thread_id) as (fourth, others):
                gone = await agui.http.delete(f"/v1/sessions/{session}")
                await rest(third, events)
                await rest(fourth, others)
        assert gone.status_code == 204
        assert third.last["outcome"] == fourth.last["outcome"] == {"type": "cancelled"}
        assert await books.audit() == {}


async def test_a_message_that_another_process_takes_goes_in_as_well(
    steering: Deployment, database_url: str, provider: FakeProvider
) -> None:
    provider.scenario = chat_script(intent=HELD)
    async with (
        two_apps(steering.settings(database_url)) as (here, there),
        here.open("One") as (first, events),
    ):
        await until_it_works(events)
        async with there.open("Two", thread_id=first.thread_id) as (second, others):
            provider.release()
            await rest(second, others)
        await rest(first, events)
    assert told(first) == ["Two"]
    assert taken_by(second) == first.headers["x-run-id"]


async def test_the_whole_document_says_which_run_answers(
    steering: Deployment, serve: Serve, provider: FakeProvider
) -> None:
    provider.scenario = chat_script(intent=HELD)
    async with serve(steering) as (agui, _):
        async with agui.open("One") as (first, events):
            await until_it_works(events)
            body = agui.body("Two", thread_id=first.thread_id)
            asking = asyncio.create_task(
                agui.http.post("/v1/agent-chat", json=body, headers={"accept": "application/json"})
            )
            await _let_in(agui, first, 2)
            provider.release()
            await rest(first, events)
        document = (await asking).json()
    assert document["status"] == "succeeded"
    assert document["steeredRunId"] == first.headers["x-run-id"]
    assert document["message"] is None
