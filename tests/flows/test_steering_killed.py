"""The worker that took a message into its run is killed: another one goes on, and knows it."""

from __future__ import annotations

import httpx
import pytest

from tests.chaos.fleet import Fleet
from tests.fakes.agui_client import AgUiClient
from tests.fakes.chat_script import chat_script, judged
from tests.fakes.deployment import Deployment
from tests.fakes.provider.server import FakeProvider
from tests.fixtures.app import books_of


@pytest.mark.timeout(240)
async def test_the_next_worker_asks_with_the_message_and_nobody_answers_it_twice(
    deployment: Deployment, database_url: str, provider: FakeProvider
) -> None:
    deployment.edit(
        "crews/chat/workflow.yaml", "timeout_s: 600", "timeout_s: 600\nwhen_busy: steer"
    )
    provider.scenario = chat_script(
        intent={"text": judged("simple"), "chunks": 5, "held": True},
        execution={"text": None, "chunks": 6, "fault": "stall", "fault_at": 3, "fault_times": 1},
    )
    async with (
        Fleet(deployment, database_url, ("api", "worker"), lease_s=2.0) as fleet,
        books_of(database_url) as books,
        httpx.AsyncClient(base_url=fleet.members[0].url, timeout=90) as http,
    ):
        one, other = AgUiClient(http), AgUiClient(http, protocol=None)
        async with one.open("One") as (first, events):
            async for event in events:
                if event["type"] == "REASONING_MESSAGE_CONTENT":
                    break
            async with other.open("Two", thread_id=first.thread_id) as (second, others):
                provider.release()
                async for _ in others:
                    pass
            async for event in events:
                if event["type"] == "TEXT_MESSAGE_CONTENT" and "w00002" in first.text:
                    break
            await fleet.kill(fleet.members[1])
            fleet.start(fleet.members[1])
            async for _ in events:
                pass
        assert first.finish().breaches == second.finish().breaches == []
        assert second.last["metadata"]["callsheet"]["steeredRunId"] == first.headers["x-run-id"]
        assert first.last["type"] == "RUN_FINISHED"
        [_, cut, again] = provider.bodies
        assert again["messages"] == cut["messages"]
        assert str(again["messages"]).count("Two") == 1
        snapshot = first.of("MESSAGES_SNAPSHOT")[-1]["messages"]
        answer = "".join(f"w{number:05d} " for number in range(6))
        assert [m["content"] for m in snapshot] == ["One", "Two", answer]
        runs = await books.rows("SELECT status, take_overs FROM runs ORDER BY created_at")
        assert [tuple(run.values()) for run in runs] == [("succeeded", 1), ("succeeded", 0)]
        assert await books.audit() == {}
