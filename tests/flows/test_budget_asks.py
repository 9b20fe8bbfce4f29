"""A spent budget asks whether it may be granted once more, where the workflow lets it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from tests.fakes.agui_client import AgUiClient, Turn
from tests.fakes.books import Books
from tests.fakes.chat_script import chat_script
from tests.fakes.deployment import Deployment
from tests.fakes.provider.server import FakeProvider
from tests.fixtures.app import Serve
from tests.flows.waiting import answer, asking, interrupts, resolved

YES, NO = {"extend": True}, {"extend": False}


@asynccontextmanager
async def limited(
    deployment: Deployment, serve: Serve, limits: str, **more: Any
) -> AsyncIterator[tuple[AgUiClient, Books]]:
    (deployment.config / "quotas.yaml").write_text(f"limits: {limits}\n", "utf-8")
    deployment.edit(
        "crews/chat/workflow.yaml", "timeout_s: 600", "timeout_s: 600\non_spent_budget: ask"
    )
    async with serve(deployment, **more) as served:
        yield served


async def asked(agui: AgUiClient, text: str = "hello", **more: Any) -> tuple[Turn, dict[str, Any]]:
    turn = await agui.ask(text, **more)
    assert turn.breaches == []
    [interrupt] = interrupts(turn)
    assert interrupt["reason"] == "budget"
    return turn, interrupt


async def test_a_run_is_granted_its_budget_as_often_as_somebody_says_so(
    deployment: Deployment, serve: Serve, provider: FakeProvider
) -> None:
    async with limited(deployment, serve, "{run: {calls: 1}}") as (agui, books):
        turn, first = await asked(agui)
        assert first["metadata"]["callsheet"]["scope"] == "run"
        assert "The budget of this run is spent (1 call)" in first["message"]
        assert "toolCallId" not in first
        assert turn.of("SUBAGENT_ERROR", "RUN_ERROR") == []
        assert provider.stats.requests == 1
        turn = await answer(agui, turn, resolved(first, YES))
        [second] = interrupts(turn)
        assert provider.stats.requests == 2
        after = await answer(agui, turn, resolved(second, YES))
        assert after.text == "Here is your answer."
        assert provider.stats.requests == 3
        assert await books.audit() == {}


@pytest.mark.parametrize("payload", [NO, None])
async def test_who_does_not_grant_it_ends_the_run(
    deployment: Deployment, serve: Serve, provider: FakeProvider, payload: Any
) -> None:
    async with limited(deployment, serve, "{run: {calls: 1}}") as (agui, books):
        turn, interrupt = await asked(agui)
        given = {"interruptId": interrupt["id"], "status": "cancelled"}
        after = await answer(agui, turn, resolved(interrupt, NO) if payload else given)
        assert (after.last["type"], after.last["code"]) == ("RUN_ERROR", "budget_spent")
        assert provider.stats.requests == 1
        assert await books.audit() == {}


async def test_a_session_that_has_nothing_left_asks_in_its_next_turn(
    deployment: Deployment, serve: Serve, provider: FakeProvider
) -> None:
    async with limited(deployment, serve, "{session: {calls: 3}}") as (agui, books):
        first = await agui.ask("hello")
        assert first.text == "Here is your answer."
        turn, interrupt = await asked(agui, "again", thread_id=first.thread_id)
        assert interrupt["metadata"]["callsheet"]["scope"] == "session"
        assert provider.stats.requests == 3
        after = await answer(agui, turn, resolved(interrupt, YES))
        assert after.text == "Here is your answer."
        other = await agui.ask("hello")
        assert other.text == "Here is your answer."
        assert await books.audit() == {}


async def test_tools_that_were_asked_for_are_done_before_the_question(
    deployment: Deployment, serve: Serve, provider: FakeProvider
) -> None:
    async with limited(deployment, serve, "{run: {calls: 2}}") as (agui, _):
        provider.scenario = asking(("calculator", {"expression": "6*7"}))
        turn, interrupt = await asked(agui)
        assert [event["content"] for event in turn.of("TOOL_CALL_RESULT")] == ["42"]
        after = await answer(agui, turn, resolved(interrupt, YES))
        assert after.text == "The work is done."
        assert after.of("TOOL_CALL_START", "TOOL_CALL_RESULT") == []


async def test_budgets_of_days_are_nobodys_to_extend(
    deployment: Deployment, serve: Serve, provider: FakeProvider
) -> None:
    async with limited(deployment, serve, "{user_day: {calls: 1}}") as (agui, _):
        turn = await agui.ask("hello")
        assert (turn.last["type"], turn.last["code"]) == ("RUN_ERROR", "budget_spent")


async def test_amounts_are_not_told_where_costs_are_hidden(
    deployment: Deployment, serve: Serve, provider: FakeProvider
) -> None:
    show = {"show": {"costs": False}}
    async with limited(deployment, serve, "{run: {cost: 0.0001}}", **show) as (agui, _):
        provider.scenario = chat_script()
        _, interrupt = await asked(agui)
        assert interrupt["message"] == "The budget is spent. May it be granted once more?"
        assert interrupt["metadata"]["callsheet"] == {"scope": "run", "measure": "cost"}
        shown = (await agui.http.get(f"/v1/interrupts/{interrupt['id']}")).json()
        assert shown["message"] == interrupt["message"]
        assert shown["detail"] == {"scope": "run", "measure": "cost"}
