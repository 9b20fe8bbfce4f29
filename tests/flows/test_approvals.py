"""A tool that has to be allowed first: what is shown, and what comes of each answer."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel, field_validator

from callsheet.tools.context import ToolContext
from tests.fakes.agui_client import AgUiClient
from tests.fakes.books import Books
from tests.fakes.chat_script import chat_script
from tests.fakes.deployment import Deployment
from tests.fakes.own_tools import Own, own_tools
from tests.fakes.provider.server import FakeProvider
from tests.fixtures.app import Serve
from tests.flows.waiting import MAIL, answer, dropped, interrupts, resolved, told, waits


async def mails(books: Books) -> list[dict[str, Any]]:
    return await books.rows("SELECT recipients, subject, body FROM outbox")


async def test_an_approved_mail_is_sent_once_with_what_the_person_made_of_it(
    agui: AgUiClient, provider: FakeProvider, books: Books
) -> None:
    turn = await waits(agui, provider, ("send_mail", MAIL))
    [asked] = interrupts(turn)
    assert asked["reason"] == "approval"
    assert asked["metadata"]["callsheet"] == {
        "tool": "send_mail",
        "label": {"en": "Send a mail", "zh": "发送邮件"},
        "arguments": MAIL,
        "reason": "The tool has to be allowed each time it is used.",
        "sideEffect": "A mail is sent in the user's name.",
    }
    assert await mails(books) == []
    edited = {**MAIL, "subject": "Hi"}
    payload = {"approved": True, "arguments": edited, "comment": "Less stiff."}
    after = await answer(agui, turn, resolved(asked, payload))
    assert after.text == "The work is done."
    assert await mails(books) == [{"recipients": MAIL["to"], "subject": "Hi", "body": MAIL["body"]}]
    [said] = told(provider)
    assert "Less stiff." in said
    assert '"subject":"Hi"' in said
    again = await answer(agui, turn, resolved(asked, payload))
    assert again.text == after.text
    assert again.headers["x-run-id"] == after.headers["x-run-id"]
    assert len(await mails(books)) == 1


@pytest.mark.parametrize("payload", [{"approved": False, "comment": "Not now."}, None])
async def test_a_mail_that_is_not_allowed_is_not_sent_and_the_model_is_told(
    agui: AgUiClient, provider: FakeProvider, books: Books, payload: Any
) -> None:
    turn = await waits(agui, provider, ("send_mail", MAIL))
    [asked] = interrupts(turn)
    given = dropped(asked) if payload is None else resolved(asked, payload)
    after = await answer(agui, turn, given)
    assert after.text == "The work is done."
    assert await mails(books) == []
    assert "did not allow" in told(provider)[0]
    [result] = after.of("TOOL_CALL_RESULT")
    assert result["metadata"]["callsheet"]["status"] == "rejected"


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({**MAIL, "to": ["nobody"]}, "to/0"),
        ({**MAIL, "to": []}, "to"),
        ({**MAIL, "to": "ann@b.example"}, "to"),
        ({**MAIL, "subject": None}, "subject"),
        ({**MAIL, "cc": ["eve@b.example"]}, "cc"),
        ({**MAIL, "subject": "x" * 201}, "subject"),
        ({"to": MAIL["to"]}, ""),
        ("all of it", ""),
    ],
)
async def test_changed_arguments_that_the_tool_would_refuse_are_refused_at_once(
    agui: AgUiClient, provider: FakeProvider, books: Books, arguments: Any, field: str
) -> None:
    turn = await waits(agui, provider, ("send_mail", MAIL))
    [asked] = interrupts(turn)
    before = provider.stats.requests
    payload = {"approved": True, "arguments": arguments}
    refused = await answer(agui, turn, resolved(asked, payload))
    assert (refused.status, refused.problem["code"]) == (422, "interrupt_answer_invalid")
    wanted = "/".join(part for part in ("resume/0/payload/arguments", field) if part)
    assert refused.problem["field"] == wanted
    assert provider.stats.requests == before
    assert await mails(books) == []
    after = await answer(agui, turn, resolved(asked, {"approved": True}))
    assert after.text == "The work is done."
    assert len(await mails(books)) == 1


async def test_what_only_the_tool_itself_knows_is_asked_of_it(
    deployment: Deployment, serve: Serve, provider: FakeProvider
) -> None:
    class Even(BaseModel):
        number: int

        @field_validator("number")
        @classmethod
        def _even(cls, value: int) -> int:
            if value % 2:
                raise ValueError("odd numbers are not taken")
            return value

    async def double(args: Even, ctx: ToolContext) -> int:
        return args.number * 2

    tool = Own("double", double, Args=Even, requires_approval=True)
    with own_tools(deployment, tool):
        async with serve(deployment) as (agui, _):
            turn = await waits(agui, provider, ("own_double", {"number": 2}))
            [asked] = interrupts(turn)
            odd = {"approved": True, "arguments": {"number": 3}}
            refused = await answer(agui, turn, resolved(asked, odd))
            assert refused.problem["field"] == "resume/0/payload/arguments/number"
            assert "odd numbers are not taken" in refused.problem["detail"]
            even = {"approved": True, "arguments": {"number": 4}}
            after = await answer(agui, turn, resolved(asked, even))
            assert after.text == "The work is done."
            assert told(provider)[0].startswith("8\n")
            assert tool.calls == 1


async def test_policy_asks_and_denies_by_pattern(
    deployment: Deployment, serve: Serve, provider: FakeProvider
) -> None:
    async def done(args: Any, ctx: ToolContext) -> str:
        return "done"

    plain, secret = Own("plain", done), Own("secret", done)
    with own_tools(deployment, plain, secret, policy="{policy: ask}\n'*_secret': {policy: deny}"):
        async with serve(deployment) as (agui, books):
            turn = await waits(
                agui, provider, ("own_plain", {}), ("own_secret", {}), ("no_such_tool", {})
            )
            [asked] = interrupts(turn)
            own = asked["metadata"]["callsheet"]
            assert own["tool"] == "own_plain"
            assert "tools such as own_*" in own["reason"]
            assert "sideEffect" not in own
            errors = [each["content"] for each in turn.of("TOOL_CALL_RESULT")]
            assert len(errors) == 2
            assert len({e.replace("own_secret", "no_such_tool") for e in errors}) == 1
            offered = [t["function"]["name"] for t in provider.bodies[-1]["tools"]]
            assert "own_plain" in offered
            assert "own_secret" not in offered
            after = await answer(agui, turn, resolved(asked, {"approved": True}))
            assert after.text == "The work is done."
            assert (plain.calls, secret.calls) == (1, 0)
            assert await books.audit() == {}


async def test_an_approval_that_nobody_gives_in_time_is_none(
    agui: AgUiClient, provider: FakeProvider, books: Books
) -> None:
    turn = await waits(agui, provider, ("send_mail", MAIL))
    [asked] = interrupts(turn)
    await books.one("UPDATE interrupts SET expires_at = now() - interval '1 s' RETURNING id")
    late = await answer(agui, turn, resolved(asked, {"approved": True}))
    assert (late.status, late.problem["code"]) == (409, "interrupt_expired")
    assert await mails(books) == []
    provider.scenario = chat_script(complexity="simple")
    after = await agui.ask("Never mind.", thread_id=turn.thread_id)
    assert after.text == "The work is done."
    assert await mails(books) == []
    assert await books.audit() == {}


async def test_an_open_approval_survives_a_restart_and_is_never_taken_as_given(
    deployment: Deployment, serve: Serve, provider: FakeProvider
) -> None:
    async with serve(deployment) as (agui, books):
        turn = await waits(agui, provider, ("send_mail", MAIL))
    for _ in range(2):
        async with serve(deployment) as (agui, books):
            listed = (await agui.http.get("/v1/interrupts")).json()["items"]
            assert [each["id"] for each in listed] == [interrupts(turn)[0]["id"]]
            assert listed[0]["detail"]["sideEffect"] == "A mail is sent in the user's name."
            assert await mails(books) == []
            assert await books.run_status(turn.headers["x-run-id"]) == "waiting_input"
    async with serve(deployment) as (agui, books):
        given = resolved(interrupts(turn)[0], {"approved": True})
        after = await answer(agui, turn, given)
        again = await answer(agui, turn, given)
        other = await answer(agui, turn, resolved(interrupts(turn)[0], {"approved": False}))
        assert after.text == again.text == "The work is done."
        assert after.headers["x-run-id"] == again.headers["x-run-id"]
        assert (other.status, other.problem["code"]) == (409, "interrupt_answered")
        assert len(await mails(books)) == 1
        assert await books.audit() == {}


async def test_two_questions_are_answered_together_and_in_their_order(
    agui: AgUiClient, provider: FakeProvider
) -> None:
    two = {"questions": [{"question": "When?", "choices": ["now"]}, {"question": "Where?"}]}
    turn = await waits(agui, provider, ("ask_user", two))
    [asked] = interrupts(turn)
    assert asked["message"] == "When?\nWhere?"
    assert [q["question"] for q in asked["metadata"]["callsheet"]["questions"]] == [
        "When?", "Where?",
    ]  # fmt: skip
    for wrong in (["now"], ["now", ""], ["now", "here", "there"], "now"):
        refused = await answer(agui, turn, resolved(asked, {"answers": wrong}))
        assert (refused.status, refused.problem["code"]) == (422, "interrupt_answer_invalid")
        assert refused.problem["field"].startswith("resume/0/payload/answers")
    after = await answer(agui, turn, resolved(asked, {"answers": ["now", "here"]}))
    assert after.text == "The work is done."
    assert told(provider) == ['{"answers":["now","here"]}']
