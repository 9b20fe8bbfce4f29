"""A tool that asks a model and gets no answer: what is booked, and what the agent is told."""

from __future__ import annotations

import pytest

from tests.fakes.deployment import Deployment
from tests.fakes.provider.server import FakeProvider
from tests.fixtures.app import Serve
from tests.flows.digesting import (
    DIGEST,
    ask_for_nothing,
    digesting,
    inner_calls,
    script,
    tool_messages,
)
from tests.flows.waiting import told


async def test_a_stop_closes_the_inner_connection_and_books_what_was_used(
    deployment: Deployment, serve: Serve, provider: FakeProvider
) -> None:
    with digesting(deployment):
        async with serve(deployment) as (agui, books):
            inside = {"fault": "stall", "chunks": 5, "fault_at": 2}
            provider.scenario = script(DIGEST, inside=inside)
            async with agui.open("Read it.") as (turn, events):
                await provider.until(lambda seen: seen.faults == 1)
                await agui.http.post(f"/v1/runs/{turn.headers['x-run-id']}/cancel")
                async for _ in events:
                    pass
            assert turn.finish().breaches == []
            assert len(provider.stats.disconnected) == 1
            [call] = await inner_calls(books)
            assert (call["status"], call["usage_source"]) == ("aborted", "estimated")
            [message] = await tool_messages(books, turn)
            assert message["id"] == call["message_id"]
            assert message["own"]["tool"]["status"] == "cancelled"
            assert message["own"]["status"] == "final"
            assert message["input_tokens"] > 0
            assert await books.audit() == {}


async def test_the_inner_call_ends_with_the_time_of_its_tool(
    deployment: Deployment, serve: Serve, provider: FakeProvider
) -> None:
    with digesting(deployment):
        deployment.edit("config/tools.yaml", '"own_*": {}', '"own_*": {timeout_s: 0.5}')
        async with serve(deployment) as (agui, books):
            provider.scenario = script(DIGEST, inside={"fault": "hang"})
            turn = await agui.ask("Read it.")
            assert turn.text == "The work is done."
            assert told(provider)[0].startswith("Error: ")
            assert len(provider.stats.disconnected) == 1
            assert await books.audit() == {}


@pytest.mark.parametrize("fault", ["status", "drop", "filter"])
async def test_a_model_that_fails_is_an_error_of_the_tool(
    deployment: Deployment, serve: Serve, provider: FakeProvider, fault: str
) -> None:
    with digesting(deployment):
        async with serve(deployment) as (agui, books):
            inside = {"fault": fault, "fault_at": 1, "chunks": 3, "status": 400}
            provider.scenario = script(DIGEST, inside=inside)
            turn = await agui.ask("Read it.")
            assert turn.text == "The work is done."
            assert "could not be asked" in told(provider)[0]
            [message] = await tool_messages(books, turn)
            assert message["own"]["tool"]["status"] == "error"
            assert await books.audit() == {}


async def test_a_model_that_there_is_not_is_no_call(
    deployment: Deployment, serve: Serve, provider: FakeProvider
) -> None:
    with digesting(deployment, ask_for_nothing):
        async with serve(deployment) as (agui, books):
            provider.scenario = script(DIGEST)
            turn = await agui.ask("Read it.")
            assert turn.text == "The work is done."
            assert "'no-such-model' could not be asked" in told(provider)[0]
            assert await inner_calls(books) == []
            assert await books.audit() == {}


async def test_a_budget_holds_for_what_tools_ask(
    deployment: Deployment, serve: Serve, provider: FakeProvider
) -> None:
    deployment.edit("config/quotas.yaml", "limits: {}", "limits:\n  run: {calls: 2}")
    with digesting(deployment):
        async with serve(deployment) as (agui, books):
            provider.scenario = script(DIGEST)
            turn = await agui.ask("Read it.")
            assert turn.breaches == []
            assert turn.last["code"] == "budget_spent"
            assert provider.stats.requests == 2
            assert await inner_calls(books) == []
            [message] = await tool_messages(books, turn)
            assert "could not be asked (budget_spent)" in message["content"]
            assert message["own"]["status"] == "final"
            assert await books.audit() == {}
