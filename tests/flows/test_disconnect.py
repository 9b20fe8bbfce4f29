"""What becomes of a run when its last viewer has gone, by workflow and by request."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.fakes.agui_client import AgUiClient
from tests.fakes.books import Books
from tests.fakes.chat_script import chat_script
from tests.fakes.deployment import Deployment
from tests.fakes.provider.server import FakeProvider
from tests.fakes.two_apps import two_apps
from tests.fixtures.app import Serve

HELD = {"text": None, "chunks": 6, "fault": "stall", "fault_at": 3}
MINDS = "timeout_s: 600\non_disconnect: cancel\ndisconnect_grace_s: 0.2\n"


def chosen(wish: object) -> dict[str, Any]:
    return {"forwardedProps": {"callsheet": {"onDisconnect": wish}}}


async def leave(agui: AgUiClient, run_id: str, **more: Any) -> None:
    """Ask for a turn, and go away in the middle of it."""
    async with agui.open("hello", thread_id=run_id, run_id=run_id, **more) as (_, events):
        async for event in events:
            if event["type"] == "REASONING_MESSAGE_CONTENT" and "w00002" in event["delta"]:
                return


async def status(agui: AgUiClient, run_id: str) -> str:
    return str((await agui.http.get(f"/v1/runs/{run_id}")).json()["status"])


async def until_ended(agui: AgUiClient, run_id: str) -> str:
    async with asyncio.timeout(30):
        while (now := await status(agui, run_id)) == "running":
            await asyncio.sleep(0.05)
    return now


async def test_a_run_that_nobody_looks_at_is_stopped_where_its_workflow_says_so(
    serve: Serve, deployment: Deployment, provider: FakeProvider
) -> None:
    deployment.edit("crews/chat/workflow.yaml", "timeout_s: 600\n", MINDS)
    provider.scenario = chat_script(execution=HELD)
    async with serve(deployment) as (agui, books):
        await leave(agui, "stays", **chosen("detach"))
        await leave(agui, "left")
        assert await until_ended(agui, "left") == "cancelled"
        await _provider_is_left(books)
        assert await status(agui, "stays") == "running"
        async with agui.watch("left") as (turn, events):
            last = [event async for event in events][-1]
        assert turn.finish().breaches == []
        assert last["outcome"] == {"type": "cancelled"}
        assert last["metadata"]["callsheet"]["reason"] == "disconnected"
        await agui.http.post("/v1/runs/stays/cancel")


async def test_a_caller_that_wants_one_document_and_goes_away_looks_on_no_more(
    serve: Serve, deployment: Deployment, provider: FakeProvider
) -> None:
    deployment.edit("crews/chat/workflow.yaml", "timeout_s: 600\n", MINDS)
    provider.scenario = chat_script(execution=HELD)
    async with serve(deployment) as (agui, _), asyncio.TaskGroup() as group:
        body = {
            "threadId": "one",
            "runId": "one",
            "messages": [{"id": "m1", "role": "user", "content": "hello"}],
        }
        accept = {"accept": "application/json"}
        asking = group.create_task(agui.http.post("/v1/agent-chat", json=body, headers=accept))
        async with asyncio.timeout(30):
            while (await agui.http.get("/v1/runs/one")).json().get("status") != "running":
                await asyncio.sleep(0.05)
        asking.cancel()
        assert await until_ended(agui, "one") == "cancelled"


async def _provider_is_left(books: Books) -> None:
    """What was spent of the stopped call is booked."""
    assert await books.one("SELECT count(*) FROM llm_calls WHERE status = 'open'") == 1


async def test_a_viewer_in_another_process_counts(
    deployment: Deployment, database_url: str, provider: FakeProvider
) -> None:
    deployment.edit("crews/chat/workflow.yaml", "timeout_s: 600\n", MINDS)
    provider.scenario = chat_script(execution=HELD)
    async with two_apps(deployment.settings(database_url)) as (here, there):
        async with here.open("hello", run_id="looked-at") as (_, events):
            await anext(events)
            other = there.watch("looked-at")
            _, others = await other.__aenter__()
            await anext(others)
        for alone in ("alone", "alone too"):  # each takes longer than the grace
            await leave(here, alone)
            assert await until_ended(here, alone) == "cancelled"
        assert await status(here, "looked-at") == "running"
        await other.__aexit__(None, None, None)
        assert await until_ended(here, "looked-at") == "cancelled"


@pytest.mark.parametrize("wish", ["stop", 1, []])
async def test_a_wish_that_is_none_is_named(agui: AgUiClient, wish: object) -> None:
    turn = await agui.ask("hello", **chosen(wish))
    assert (turn.status, turn.problem["field"]) == (422, "forwardedProps/callsheet/onDisconnect")


@pytest.mark.parametrize("props", [None, [], {}, {"callsheet": 1}, {"onDisconnect": "stop"}])
async def test_props_of_other_kinds_are_the_clients_own(agui: AgUiClient, props: object) -> None:
    assert (await agui.ask("hello", forwardedProps=props)).status == 200
