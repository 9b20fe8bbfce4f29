"""A run waits for a person, and goes on with the answer: through HTTP, to the database."""

from __future__ import annotations

from typing import Any

from tests.fakes.agui_client import AgUiClient, Turn
from tests.fakes.books import Books
from tests.fakes.chat_script import chat_script
from tests.fakes.deployment import Deployment
from tests.fakes.provider.server import FakeProvider
from tests.fixtures.app import Serve
from tests.flows.waiting import (
    MAIL,
    QUESTION,
    answer,
    asking,
    interrupts,
    resolved,
    told,
    waits,
)

RED = {"answers": ["red"]}


async def statuses(books: Books) -> list[str]:
    rows = await books.rows("SELECT status FROM runs ORDER BY created_at, id")
    return [row["status"] for row in rows]


async def mails(books: Books) -> list[dict[str, Any]]:
    return await books.rows("SELECT recipients, subject, body FROM outbox")


async def test_a_question_ends_the_run_and_its_answer_goes_on_from_it(
    agui: AgUiClient, provider: FakeProvider, books: Books
) -> None:
    turn = await waits(agui, provider)
    [asked] = interrupts(turn)
    assert (asked["reason"], asked["message"]) == ("question", "Which colour?")
    assert asked["metadata"]["callsheet"]["questions"] == QUESTION["questions"]
    [started] = turn.of("TOOL_CALL_START")
    assert asked["toolCallId"] == started["toolCallId"]
    assert turn.of("TOOL_CALL_RESULT") == []
    assert await statuses(books) == ["waiting_input"]
    assert await books.one("SELECT status FROM sessions") == "running"
    listed = (await agui.http.get("/v1/interrupts")).json()["items"]
    assert [each["id"] for each in listed] == [asked["id"]]
    before = provider.stats.requests

    after = await answer(agui, turn, resolved(asked, RED))
    assert after.breaches == []
    assert after.text == "The work is done."
    assert after.last["type"] == "RUN_FINISHED"
    assert after.events[0]["parentRunId"] == turn.run_id
    assert provider.stats.requests == before + 1
    assert told(provider) == ['{"answers":["red"]}']
    [result] = after.of("TOOL_CALL_RESULT")
    assert result["toolCallId"] == asked["toolCallId"]
    assert after.of("TOOL_CALL_START") == []
    assert await statuses(books) == ["succeeded", "succeeded"]
    assert await books.one("SELECT status FROM sessions") == "completed"
    assert (await agui.http.get("/v1/interrupts")).json()["items"] == []
    shown = (await agui.http.get(f"/v1/interrupts/{asked['id']}")).json()
    assert (shown["status"], shown["answer"]["payload"]) == ("answered", RED)
    assert shown["answer"]["runId"] == after.headers["x-run-id"]
    said = await books.messages(turn.headers["x-session-id"])
    assert [m["content"] for m in said if m["role"] == "user"] == ["Paint it."]
    assert await books.audit() == {}


async def test_everything_is_asked_at_once_and_what_needs_nobody_is_done_meanwhile(
    agui: AgUiClient, provider: FakeProvider, books: Books
) -> None:
    calls = (
        ("ask_user", QUESTION),
        ("calculator", {"expression": "6*7"}),
        ("send_mail", MAIL),
        ("ask_user", {"questions": [{"question": "When?"}, {"question": "Where?"}]}),
    )
    turn = await waits(agui, provider, *calls)
    one, mail, two = interrupts(turn)
    assert [each["content"] for each in turn.of("TOOL_CALL_RESULT")] == ["42"]

    for part in ([resolved(one, RED)], [resolved(one, RED), resolved(mail, {"approved": True})]):
        refused = await answer(agui, turn, *part)
        assert (refused.status, refused.problem["code"]) == (422, "interrupts_unanswered")
    assert await mails(books) == []
    after = await answer(
        agui,
        turn,
        resolved(two, {"answers": ["now", "here"]}),
        resolved(mail, {"approved": True}),
        resolved(one, RED),
    )
    assert after.text == "The work is done."
    assert told(provider)[:2] == ['{"answers":["red"]}', "42"]
    assert len(await mails(books)) == 1
    assert await books.audit() == {}


async def test_it_is_answered_after_the_server_was_started_anew(
    deployment: Deployment, serve: Serve, provider: FakeProvider
) -> None:
    calls = (("calculator", {"expression": "6*7"}), ("send_mail", MAIL), ("ask_user", QUESTION))
    async with serve(deployment) as (agui, books):
        turn = await waits(agui, provider, *calls)
    mail, question = interrupts(turn)
    before = provider.stats.requests
    async with serve(deployment) as (agui, books):
        after = await answer(
            agui, turn, resolved(mail, {"approved": True}), resolved(question, RED)
        )
        assert after.breaches == []
        assert after.text == "The work is done."
        assert provider.stats.requests == before + 1
        assert told(provider)[0] == "42"
        assert len(await mails(books)) == 1
        assert await books.audit() == {}


async def test_a_client_that_comes_back_with_nothing_is_asked(
    agui: AgUiClient, provider: FakeProvider
) -> None:
    turn = await waits(agui, provider)
    async with agui.connect(turn.thread_id) as (seen, events):
        async for _ in events:
            pass
    assert seen.last["outcome"] == turn.last["outcome"]
    shown = next(each for each in seen.events if each["type"] == "MESSAGES_SNAPSHOT")
    assert [each["content"] for each in shown["messages"]] == ["Paint it."]
    async with agui.watch(turn.headers["x-run-id"]) as (seen, events):
        async for _ in events:
            pass
    assert seen.last["outcome"] == turn.last["outcome"]


async def test_a_caller_that_does_not_stream_is_asked_too(
    agui: AgUiClient, provider: FakeProvider
) -> None:
    provider.scenario = asking(("ask_user", QUESTION))
    body = agui.body("Paint it.")
    whole = await agui.http.post(
        "/v1/agent-chat", json=body, headers={"Accept": "application/json"}
    )
    shown = whole.json()
    assert (shown["status"], shown["message"]) == ("waiting_input", None)
    [asked] = shown["interrupts"]
    answered = {
        **agui.body(""),
        "threadId": body["threadId"],
        "messages": body["messages"],
        "resume": [resolved(asked, RED)],
    }
    whole = await agui.http.post(
        "/v1/agent-chat", json=answered, headers={"Accept": "application/json"}
    )
    assert whole.json()["message"]["content"] == "The work is done."


async def test_an_old_client_waits_and_answers_as_well(
    agui: AgUiClient, provider: FakeProvider
) -> None:
    old = AgUiClient(agui.http, protocol=None)
    turn = await waits(old, provider)
    [asked] = interrupts(turn)
    after = await answer(
        old, turn, {"interrupt_id": asked["id"], "status": "resolved", "payload": RED}
    )
    assert after.text == "The work is done."


async def test_a_question_after_a_question_is_a_chain_of_three_runs(
    agui: AgUiClient, provider: FakeProvider, books: Books
) -> None:
    turn = await waits(agui, provider)
    provider.scenario = asking(("ask_user", QUESTION), tools_always=True)
    [first] = interrupts(turn)
    middle = await answer(agui, turn, resolved(first, RED))
    [second] = interrupts(middle)
    assert second["toolCallId"] != first["toolCallId"]
    provider.scenario = chat_script(complexity="simple")
    after = await answer(agui, middle, resolved(second, {"answers": ["blue"]}))
    assert after.text == "The work is done."
    assert told(provider) == ['{"answers":["red"]}', '{"answers":["blue"]}']
    roots = await books.rows("SELECT DISTINCT root_run_id FROM runs WHERE root_run_id IS NOT NULL")
    assert len(roots) == 1
    assert await statuses(books) == ["succeeded"] * 3
    assert await books.audit() == {}


async def test_what_is_claimed_is_what_is_done(agui: AgUiClient) -> None:
    claimed = (await agui.http.get("/v1/agent-chat/chat/capabilities")).json()
    assert claimed["humanInTheLoop"] == {
        "supported": True,
        "interrupts": True,
        "approvals": True,
        "approveWithEdits": True,
    }
    assert claimed["tools"]["clientProvided"] is True


async def test_another_session_goes_on_meanwhile(agui: AgUiClient, provider: FakeProvider) -> None:
    turn: Turn = await waits(agui, provider)
    provider.scenario = chat_script()
    assert (await agui.ask("Something else")).text == "Here is your answer."
    provider.scenario = asking(("ask_user", QUESTION))
    [asked] = interrupts(turn)
    assert (await answer(agui, turn, resolved(asked, RED))).text == "The work is done."
