"""A session in plan mode: nothing is changed before the user has approved a plan."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from tests.fakes.agui_client import AgUiClient, Turn
from tests.fakes.books import Books
from tests.fakes.chat_script import EXECUTION, chat_script
from tests.fakes.deployment import Deployment
from tests.fakes.own_tools import give
from tests.fakes.provider.server import FakeProvider
from tests.fixtures.app import Serve
from tests.flows.waiting import MAIL, answer, asking, dropped, interrupts, resolved, told

PLAN = {"title": "Write to Ann", "steps": ["Look up the time", "Send the mail"]}
SHOW = ("request_plan_approval", PLAN)
SEND = ("send_mail", MAIL)


async def planning(agui: AgUiClient) -> str:
    """A session in plan mode."""
    thread = str(uuid4())
    await agui.http.post("/v1/sessions", json={"id": thread})
    await agui.http.patch(f"/v1/sessions/{thread}", json={"mode": "plan"})
    return thread


async def mails(books: Books) -> int:
    return int(await books.one("SELECT count(*) FROM outbox"))


async def shows_plan(agui: AgUiClient, provider: FakeProvider, thread: str) -> Turn:
    provider.scenario = asking(SHOW, SEND)
    turn = await agui.ask("Write to Ann.", thread_id=thread)
    assert turn.breaches == []
    return turn


async def test_what_changes_something_waits_for_a_plan_and_then_for_its_own_approval(
    agui: AgUiClient, provider: FakeProvider, books: Books
) -> None:
    turn = await shows_plan(agui, provider, await planning(agui))
    [plan] = interrupts(turn)
    own = plan["metadata"]["callsheet"]
    assert (plan["reason"], own["tool"], own["arguments"]) == ("approval", SHOW[0], PLAN)
    assert plan["message"] == "Is this plan all right? Write to Ann"
    assert "approved before anything is changed" in own["reason"]
    [refused] = turn.of("TOOL_CALL_RESULT")
    assert refused["content"].startswith("Error: The user wants to see a plan")
    assert await mails(books) == 0

    provider.scenario = asking(SEND, tools_always=True)
    edited = {**PLAN, "steps": ["Send the mail"]}
    payload = {"approved": True, "arguments": edited, "comment": "No need for the time."}
    after = await answer(agui, turn, resolved(plan, payload))
    assert after.breaches == []
    said = told(provider)[0]
    assert '"steps":["Send the mail"]' in said
    assert "No need for the time." in said
    [mail] = interrupts(after)
    assert mail["metadata"]["callsheet"]["tool"] == "send_mail"
    assert await mails(books) == 0

    provider.scenario = chat_script(complexity="simple")
    last = await answer(agui, after, resolved(mail, {"approved": True}))
    assert last.text == "The work is done."
    assert await mails(books) == 1
    assert await books.audit() == {}


async def test_the_approval_of_a_plan_ends_with_its_turn(
    agui: AgUiClient, provider: FakeProvider, books: Books
) -> None:
    thread = await planning(agui)
    turn = await shows_plan(agui, provider, thread)
    provider.scenario = chat_script(complexity="simple")
    await answer(agui, turn, resolved(interrupts(turn)[0], {"approved": True}))
    provider.scenario = asking(SEND)
    later = await agui.ask("And once more.", thread_id=thread)
    [refused] = later.of("TOOL_CALL_RESULT")
    assert refused["content"].startswith("Error: The user wants to see a plan")
    assert later.text == "The work is done."
    assert await mails(books) == 0


@pytest.mark.parametrize("payload", [{"approved": False, "comment": "Call her."}, None])
async def test_a_plan_that_is_not_approved_lets_nothing_be_changed(
    agui: AgUiClient, provider: FakeProvider, books: Books, payload: Any
) -> None:
    turn = await shows_plan(agui, provider, await planning(agui))
    [plan] = interrupts(turn)
    provider.scenario = asking(SEND, tools_always=True)
    given = dropped(plan) if payload is None else resolved(plan, payload)
    after = await answer(agui, turn, given)
    assert after.last["type"] == "RUN_FINISHED"
    [heard, *refused] = [each["content"] for each in after.of("TOOL_CALL_RESULT")]
    assert "did not allow" in heard
    assert ("Call her." in heard) is (payload is not None)
    assert refused
    assert all(each.startswith("Error: The user wants to see a plan") for each in refused)
    assert await mails(books) == 0


async def test_a_plan_is_approved_after_the_server_was_started_anew_and_is_never_so_before(
    deployment: Deployment, serve: Serve, provider: FakeProvider
) -> None:
    async with serve(deployment) as (agui, books):
        turn = await shows_plan(agui, provider, await planning(agui))
    async with serve(deployment) as (agui, books):
        [plan] = interrupts(turn)
        provider.scenario = asking(SEND, tools_always=True)
        after = await answer(agui, turn, resolved(plan, {"approved": True}))
        [mail] = interrupts(after)
        assert mail["metadata"]["callsheet"]["tool"] == "send_mail"
    async with serve(deployment) as (agui, books):
        # The plan of the first of three runs still holds in the last one.
        provider.scenario = asking(SEND, tools_always=True)
        last = await answer(agui, after, resolved(mail, {"approved": True}))
        assert await mails(books) == 1
        assert interrupts(last)[0]["metadata"]["callsheet"]["tool"] == "send_mail"
        assert await books.audit() == {}


@pytest.mark.parametrize(
    ("plan", "field"),
    [
        ({"title": "", "steps": ["a"]}, "title"),
        ({"title": "t", "steps": []}, "steps"),
        ({"title": "t", "steps": ["a"] * 11}, "steps"),
        ({"title": "t", "steps": ["  "]}, "steps/0"),
        ({"title": "t", "steps": [{"label": "a"}]}, "steps/0"),
        ({"title": "t", "steps": ["a"], "budget": 5}, "budget"),
    ],
)
async def test_a_plan_that_is_none_is_refused_before_anything_streams(
    agui: AgUiClient, provider: FakeProvider, plan: Any, field: str
) -> None:
    turn = await shows_plan(agui, provider, await planning(agui))
    [asked] = interrupts(turn)
    refused = await answer(agui, turn, resolved(asked, {"approved": True, "arguments": plan}))
    assert (refused.status, refused.problem["code"]) == (422, "interrupt_answer_invalid")
    assert refused.problem["field"] == f"resume/0/payload/arguments/{field}"


async def test_the_agent_is_told_of_the_mode_and_given_the_tool_only_there(
    agui: AgUiClient, provider: FakeProvider
) -> None:
    provider.scenario = chat_script(complexity="simple")
    await agui.ask("Hello", thread_id=await planning(agui))
    await agui.ask("Hello")
    told_of, plain = (b for b in provider.bodies if EXECUTION in b["messages"][0]["content"])
    assert "# Plan first" in told_of["messages"][0]["content"]
    assert "send_mail" in told_of["messages"][0]["content"]
    assert "# Plan first" not in plain["messages"][0]["content"]
    offered = [tool["function"]["name"] for tool in told_of["tools"]]
    assert offered.count("request_plan_approval") == 1


async def test_the_rehearsal_plays_it_through(
    deployment: Deployment, serve: Serve, provider: FakeProvider
) -> None:
    async with serve(deployment, llm={}) as (agui, books):
        thread = await planning(agui)
        turn = await agui.ask("Send a mail to ann@b.example", thread_id=thread)
        assert turn.breaches == []
        [plan] = interrupts(turn)
        assert "send_mail" in plan["metadata"]["callsheet"]["arguments"]["steps"][0]
        after = await answer(agui, turn, resolved(plan, {"approved": True, "comment": "Go."}))
        [mail] = interrupts(after)
        assert mail["metadata"]["callsheet"]["tool"] == "send_mail"
        last = await answer(agui, after, resolved(mail, {"approved": True}))
        assert "put into the outbox" in last.text
        assert await mails(books) == 1
        assert provider.stats.requests == 0


async def test_in_full_mode_a_plan_is_shown_where_the_agent_has_the_tool(
    deployment: Deployment, serve: Serve, provider: FakeProvider
) -> None:
    give(deployment, "request_plan_approval")
    async with serve(deployment) as (agui, _):
        provider.scenario = asking(SHOW)
        turn = await agui.ask("Write to Ann.")
        [plan] = interrupts(turn)
        provider.scenario = chat_script(complexity="simple")
        after = await answer(agui, turn, resolved(plan, {"approved": True}))
        assert after.text == "The work is done."
        assert f'"title":"{PLAN["title"]}"' in told(provider)[0]
