"""Stopping a run, leaving it alone, and running two at once."""

from __future__ import annotations

import time

from tests.fakes.agui_client import AgUiClient
from tests.fakes.books import Books
from tests.fakes.chat_script import chat_script
from tests.fakes.provider.server import FakeProvider


async def test_a_stop_closes_the_providers_connection_within_a_second(
    agui: AgUiClient, provider: FakeProvider, books: Books
) -> None:
    provider.scenario = chat_script(execution={"text": None, "chunks": 5, "fault": "stall",
                                               "fault_at": 3})  # fmt: skip
    async with agui.open("hello") as (turn, events):
        async for event in events:
            if event["type"] == "REASONING_MESSAGE_CONTENT" and "w00002" in event["delta"]:
                break
        asked_at = time.monotonic()
        stopped = await agui.http.post(f"/v1/runs/{turn.headers['x-run-id']}/cancel")
        took_s = time.monotonic() - asked_at
        async for _ in events:
            pass
    turn.finish()

    assert turn.breaches == []
    assert stopped.json()["status"] == "cancelled"
    assert took_s < 1
    assert turn.last["type"] == "RUN_FINISHED"
    assert turn.last["outcome"] == {"type": "cancelled"}
    [gone] = provider.stats.disconnected
    assert gone.at_s - asked_at < 1
    assert provider.stats.requests == 2

    calls = await books.calls()
    assert [call["status"] for call in calls] == ["settled", "aborted"]
    assert calls[1]["output_tokens"] > 0
    assert calls[1]["usage_source"] == "estimated"
    messages = await books.messages(turn.headers["x-session-id"])
    assert messages[0]["content"] == "hello"
    assert '"partial"' in messages[-1]["raw_metadata"]
    assert await books.audit() == {}


async def test_stopping_twice_is_stopping_once(
    agui: AgUiClient, provider: FakeProvider, books: Books
) -> None:
    provider.scenario = chat_script(intent={"fault": "hang"})
    async with agui.open("hello") as (turn, events):
        await provider.until(lambda seen: seen.open == 1)
        url = f"/v1/runs/{turn.headers['x-run-id']}/cancel"
        first, second = await agui.http.post(url), await agui.http.post(url)
        async for _ in events:
            pass
    assert first.json()["status"] == second.json()["status"] == "cancelled"
    assert turn.finish().breaches == []
    assert await books.audit() == {}


async def test_a_closed_browser_does_not_stop_the_run(
    agui: AgUiClient, provider: FakeProvider, books: Books
) -> None:
    provider.scenario = chat_script(execution={"text": None, "chunks": 20, "gap_s": 0.02})
    async with agui.open("hello") as (turn, events):
        async for event in events:
            if event["type"] == "REASONING_MESSAGE_CONTENT" and "w0000" in event["delta"]:
                break
    assert await books.until_run(turn.headers["x-run-id"], "succeeded", "failed") == "succeeded"
    messages = await books.messages(turn.headers["x-session-id"])
    assert messages[-1]["content"] == "Here is your answer."
    assert provider.stats.disconnected == []
    assert await books.audit() == {}


async def test_a_session_has_one_active_run_and_says_which(
    agui: AgUiClient, provider: FakeProvider
) -> None:
    provider.scenario = chat_script(intent={"fault": "hang"})
    async with agui.open("first") as (turn, events):
        await provider.until(lambda seen: seen.open == 1)
        second = await agui.ask("second", thread_id=turn.thread_id)
        other = provider.stats.requests
        await agui.http.post(f"/v1/runs/{turn.headers['x-run-id']}/cancel")
        async for _ in events:
            pass
    assert second.status == 409
    assert second.problem["runId"] == turn.headers["x-run-id"]
    assert other == 1
    provider.scenario = chat_script()
    assert (await agui.ask("third", thread_id=turn.thread_id)).text == "Here is your answer."
