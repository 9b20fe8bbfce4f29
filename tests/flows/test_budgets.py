"""Budgets and rates through HTTP: what is spent ends a turn, and what is too fast has to wait."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pytest

from tests.fakes.agui_client import AgUiClient, Turn
from tests.fakes.books import Books
from tests.fakes.chat_script import chat_script
from tests.fakes.deployment import Deployment
from tests.fakes.provider.server import FakeProvider
from tests.fakes.running_app import RunningApp
from tests.fixtures.app import Serve
from tests.flows.spenders import AUTH, MEASURES, QUOTA, SCOPES, ask, client_of, set_limits


@dataclass(frozen=True, slots=True)
class Step:
    """What the call of one stage held when it began, and what it came to."""

    held_cost: Decimal
    held_tokens: int
    cost: Decimal
    tokens: int


async def steps_of_a_turn(agui: AgUiClient, books: Books) -> list[Step]:
    """A turn of a user without limits."""
    turn = await ask(agui, "meter")
    assert turn.text == "Here is your answer."
    run_id = turn.headers["x-run-id"]
    events = [
        json.loads(row["event"])
        for row in await books.rows(
            "SELECT event::text FROM run_events WHERE run_id = $1::uuid ORDER BY seq", run_id
        )
    ]
    held = {
        event["call_id"]: (Decimal(event["reserved_cost"]), event["reserved_tokens"])
        for event in events
        if "reserved_tokens" in event
    }
    calls = await books.rows(
        "SELECT id::text, cost_exact, input_tokens + output_tokens AS tokens FROM llm_calls "
        "WHERE run_id = $1::uuid ORDER BY started_at",
        run_id,
    )
    return [Step(*held[call["id"]], call["cost_exact"], call["tokens"]) for call in calls]


def too_little(steps: list[Step], measure: str) -> Any:
    """A limit that the first call fits under, and the second one just not."""
    first, second = steps[0], steps[1]
    return {
        "cost": f"{first.cost + second.held_cost - Decimal('0.00000001'):.8f}",
        "tokens": first.tokens + second.held_tokens - 1,
        "calls": 1,
    }[measure]


async def assert_cut_in_its_second_stage(turn: Turn, books: Books, scope: str) -> None:
    """One terminal event; what was done is kept, paid for and told."""
    assert turn.breaches == []
    assert turn.last["type"] == "RUN_ERROR"
    assert turn.last["code"] == "budget_spent"
    assert turn.steps == ["intent", "execution"]
    (used,) = turn.last["usage"]
    calls = await books.rows(
        "SELECT * FROM llm_calls WHERE run_id = $1::uuid", turn.headers["x-run-id"]
    )
    assert [(call["stage"], call["status"]) for call in calls] == [("intent", "settled")]
    assert used["inputTokens"] == calls[0]["input_tokens"]
    session = turn.headers["x-session-id"]
    assert await books.run_status(turn.headers["x-run-id"]) == "failed"
    messages = await books.messages(session)
    assert messages[0]["content"] == "hello"
    assert json.loads(messages[1]["raw_metadata"])["status"] == "final"
    assert all('"streaming"' not in message["raw_metadata"] for message in messages)
    (refusal,) = await books.rows(
        "SELECT code, scope, call_id IS NOT NULL AS is_call, detail::text FROM usage_refusals "
        "WHERE run_id = $1::uuid",
        turn.headers["x-run-id"],
    )
    assert (refusal["code"], refusal["is_call"]) == ("budget_spent", True)
    assert json.loads(refusal["detail"])["scope"] == scope
    assert await books.audit() == {}


async def test_each_limit_of_each_scope_cuts_a_turn_before_the_call_that_would_pass_it(
    deployment: Deployment, serve: Serve, provider: FakeProvider
) -> None:
    async with serve(deployment, auth=AUTH) as (agui, books):
        steps = await steps_of_a_turn(agui, books)
        for scope, name in SCOPES.items():
            for measure in MEASURES:
                user, before = f"{scope}-{measure}", provider.stats.requests
                async with client_of(agui.http.base_url, user) as client:
                    assert (await client.http.get(QUOTA)).json()["own"] == {}
                    await client.http.post("/v1/sessions", json={})  # makes the user known
                    limit = {measure: too_little(steps, measure)}
                    await set_limits(agui.http.base_url, user, {name: limit})
                    turn = await client.ask("hello")
                assert provider.stats.requests == before + 1, (scope, measure)
                await assert_cut_in_its_second_stage(turn, books, scope)


@pytest.mark.parametrize("limit", ["calls: 0", "tokens: 600", "cost: 0.00000001"])
async def test_what_all_users_may_spend_is_not_passed_and_not_told(
    deployment: Deployment, serve: Serve, provider: FakeProvider, limit: str
) -> None:
    deployment.edit("config/quotas.yaml", "limits: {}", f"limits:\n  deployment_day: {{{limit}}}")
    async with serve(deployment, auth=AUTH) as (agui, books):
        turn = await ask(agui, "ada")
        assert await books.audit() == {}
        refusals = await books.rows("SELECT scope FROM usage_refusals")
    assert provider.stats.requests == 0
    assert refusals == [{"scope": "deployment"}]
    told = turn.problem or turn.last
    assert told["code"] == "budget_spent"
    assert "0.00000001" not in json.dumps(told)
    assert "600" not in told.get("detail", told.get("message", ""))


async def test_a_turn_begins_no_more_once_nothing_is_left(
    deployment: Deployment, serve: Serve, provider: FakeProvider
) -> None:
    deployment.edit("config/quotas.yaml", "limits: {}", "limits:\n  user_day: {calls: 2}")
    async with serve(deployment, auth=AUTH) as (agui, books):
        cut = await ask(agui, "ada")
        assert cut.last["code"] == "budget_spent"
        refused = await ask(agui, "ada", thread_id=cut.thread_id)
        other = await ask(agui, "eve")
        messages = await books.messages(cut.headers["x-session-id"])
    assert other.steps == cut.steps == ["intent", "execution", "organization"]
    assert refused.status == 402
    problem = refused.problem
    assert (problem["code"], problem["scope"], problem["measure"]) == (
        "budget_spent", "user_day", "calls",
    )  # fmt: skip
    assert (problem["limit"], problem["spent"]) == ("2", "2")
    assert problem["resetsAt"].endswith("T00:00:00Z")
    assert [message["content"] for message in messages if message["role"] == "user"] == ["hello"]


async def test_two_servers_share_one_budget_and_a_change_reaches_both(
    deployment: Deployment, serve: Serve, provider: FakeProvider, database_url: str
) -> None:
    """Twelve turns want 36 calls; the day has seven."""
    async with (
        serve(deployment, auth=AUTH) as (agui, books),
        RunningApp(deployment.settings(database_url, auth=AUTH)) as other,
    ):
        here, there = agui.http.base_url, other.base_url
        await ask(agui, "ada")
        await set_limits(here, "ada", {"userDay": {"calls": 10}})
        async with client_of(there, "ada") as client, asyncio.timeout(10):
            while (await client.http.get(QUOTA)).json()["limits"]["userDay"]["calls"] != 10:
                await asyncio.sleep(0.05)
        async with (
            client_of(here, "ada") as one,
            client_of(there, "ada") as two,
            asyncio.TaskGroup() as group,
        ):
            tasks = [group.create_task(each.ask("hello")) for each in (one, two) * 6]
        turns = [task.result() for task in tasks]
        assert await books.one("SELECT count(*) FROM llm_calls") == 10
        assert await books.audit() == {}
        assert (
            await books.one(
                "SELECT calls FROM budget_counters WHERE scope = 'user' AND period = 'day'"
            )
            == 10
        )
    assert provider.stats.requests == 10
    ends = {turn.problem.get("code") or turn.last.get("code") or "done" for turn in turns}
    assert ends <= {"budget_spent", "rate_limited", "done"}
    assert "budget_spent" in ends
    assert all(turn.breaches == [] for turn in turns)


async def test_calls_one_after_the_other_need_no_more_than_the_last_one_holds(
    deployment: Deployment, serve: Serve, provider: FakeProvider
) -> None:
    """What a call has not used is free again for the next one, also within one commit."""
    tool = {"tools": [{"name": "calculator", "arguments": '{"expression": "2**10"}'}]}
    provider.scenario = chat_script(execution=tool)
    async with serve(deployment, auth=AUTH) as (agui, books):
        steps = await steps_of_a_turn(agui, books)
        spent_cost, spent_tokens = Decimal(0), 0
        cost, tokens = Decimal(0), 0
        for step in steps:
            cost = max(cost, spent_cost + step.held_cost)
            tokens = max(tokens, spent_tokens + step.held_tokens)
            spent_cost, spent_tokens = spent_cost + step.cost, spent_tokens + step.tokens
        async with client_of(agui.http.base_url, "enough") as client:
            await client.http.post("/v1/sessions", json={})
            most = {"cost": f"{cost + Decimal('0.00000001'):.8f}", "tokens": tokens}
            await set_limits(agui.http.base_url, "enough", {"run": {**most, "calls": len(steps)}})
            turn = await client.ask("hello")
        assert await books.audit() == {}
    assert len(steps) == 4
    assert turn.text == "Here is your answer."
