"""What is too fast has to wait, through HTTP: users are told, calls stand in line."""

from __future__ import annotations

import asyncio
import json

from tests.fakes.chat_script import chat_script
from tests.fakes.deployment import Deployment
from tests.fakes.provider.server import FakeProvider
from tests.fakes.running_app import RunningApp
from tests.fixtures.app import Serve
from tests.flows.spenders import AUTH, ask, client_of


async def test_a_user_who_begins_too_many_turns_is_told_when_to_come_back(
    deployment: Deployment, serve: Serve
) -> None:
    deployment.edit("config/quotas.yaml", "rates: {}", "rates:\n  user: {requests_per_minute: 1}")
    async with serve(deployment, auth=AUTH) as (agui, books):
        turns = [await ask(agui, "ada") for _ in range(3)]  # a minute may end in between
        other = await ask(agui, "eve")
        refused = next(turn for turn in turns if turn.status == 429)
        rows = await books.rows("SELECT code, scope FROM usage_refusals")
    assert turns[0].status == other.status == 200
    assert 1 <= int(refused.headers["retry-after"]) <= 60
    assert refused.problem["code"] == "rate_limited"
    assert 0 < refused.problem["retryAfterS"] <= 60
    assert {"code": "rate_limited", "scope": "user"} in rows


async def test_turns_of_a_user_at_the_same_time_are_limited_and_others_are_not(
    deployment: Deployment, serve: Serve, provider: FakeProvider
) -> None:
    deployment.edit("config/quotas.yaml", "rates: {}", "rates:\n  user: {concurrent_runs: 1}")
    provider.scenario = chat_script(intent={"fault": "hang", "fault_times": 1})
    async with (
        serve(deployment, auth=AUTH) as (agui, _),
        client_of(agui.http.base_url, "ada") as client,
        client.open("hello") as (turn, events),
    ):
        await anext(events)
        refused = await ask(agui, "ada")
        other = await ask(agui, "eve")
        run = turn.headers["x-run-id"]
        assert (await client.http.post(f"/v1/runs/{run}/cancel")).status_code == 200
        after = await ask(agui, "ada")
    assert (refused.status, refused.problem["reason"]) == (429, "concurrency")
    assert refused.headers["retry-after"] == "5"
    assert other.text == after.text == "Here is your answer."


async def test_a_user_whose_turns_fail_has_to_wait_and_others_have_not(
    deployment: Deployment, serve: Serve, provider: FakeProvider
) -> None:
    """Without anything in the file."""
    provider.scenario = chat_script(intent={"fault": "status", "status": 400})
    async with serve(deployment, auth=AUTH) as (agui, books):
        for _ in range(5):
            assert (await ask(agui, "ada")).last["code"] == "provider_refused"
        provider.scenario = chat_script()
        refused = await ask(agui, "ada")
        other = await ask(agui, "eve")
        (row,) = await books.rows("SELECT code, detail::text FROM usage_refusals")
    assert (refused.status, refused.problem["reason"]) == (429, "slow_down")
    assert refused.headers["retry-after"] == "1"
    assert other.text == "Here is your answer."
    assert row["code"] == "rate_limited"
    assert json.loads(row["detail"])["troubles"] == 5


async def test_calls_to_a_provider_are_under_way_no_more_than_it_allows_whoever_asks(
    deployment: Deployment, serve: Serve, provider: FakeProvider, database_url: str
) -> None:
    deployment.edit(
        "config/quotas.yaml",
        "rates: {}",
        "rates:\n  providers:\n    qwen: {concurrent_calls: 2}\n"
        "    deepseek: {concurrent_calls: 2}",
    )
    paced = {"gap_s": 0.02}
    provider.scenario = chat_script(intent=paced, execution=paced, organization=paced)
    async with (
        serve(deployment, auth=AUTH) as (agui, books),
        RunningApp(deployment.settings(database_url, auth=AUTH)) as other,
        client_of(agui.http.base_url, "ada") as one,
        client_of(other.base_url, "eve") as two,
    ):
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(each.ask("hello")) for each in (one, two) * 4]
        assert await books.audit() == {}
    assert {task.result().text for task in tasks} == {"Here is your answer."}
    assert 0 < provider.stats.max_open <= 4


async def test_a_call_that_would_wait_too_long_for_its_provider_ends_the_turn(
    deployment: Deployment, serve: Serve, provider: FakeProvider
) -> None:
    deployment.edit(
        "config/quotas.yaml",
        "rates: {}",
        "rates:\n  providers:\n    qwen: {requests_per_minute: 1}\n"
        "    deepseek: {requests_per_minute: 1}",
    )
    agents = "crews/chat/agents.yaml"
    deployment.edit(agents, "iteration_timeout_s: 45", "iteration_timeout_s: 1")
    most = "max_output_tokens: 4096"
    deployment.edit(agents, most, f"{most}\n  iteration_timeout_s: 1")
    async with serve(deployment, auth=AUTH) as (agui, books):
        turns = [await ask(agui, "ada") for _ in range(3)]  # a minute may end in between
        assert await books.audit() == {}
        refusals = await books.rows("SELECT DISTINCT code, scope FROM usage_refusals")
    assert refusals == [{"code": "rate_limited", "scope": "provider"}]
    assert all(turn.breaches == [] for turn in turns)
    assert "rate_limited" in {turn.last.get("code") for turn in turns}
