"""Something else is said while a run waits."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

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
    dropped,
    interrupts,
    resolved,
    told,
    waits,
)

RED = {"answers": ["red"]}


async def says(
    agui: AgUiClient, provider: FakeProvider, turn: Turn, how: str, text: str = "Never mind."
) -> Turn:
    """A new message on the thread; a 1.x client has to drop what is open beside it."""
    provider.scenario = chat_script()
    resume: dict[str, Any] = {}
    if how == "with the answer dropped":
        resume = {"resume": [dropped(each) for each in interrupts(turn)]}
    return await agui.ask(text, thread_id=turn.thread_id, **resume)


HOW = pytest.mark.parametrize("how", ["alone", "with the answer dropped"])


@HOW
async def test_by_default_the_run_is_dropped_and_the_message_answered(
    agui: AgUiClient, provider: FakeProvider, books: Books, how: str
) -> None:
    turn = await waits(agui, provider, ("send_mail", MAIL))
    after = await says(agui, provider, turn, how)
    assert after.breaches == []
    assert after.text == "Here is your answer."
    assert after.steps == ["intent", "execution", "organization"]
    rows = await books.rows("SELECT status, continues_run_id FROM runs ORDER BY created_at, id")
    assert [row["status"] for row in rows] == ["cancelled", "succeeded"]
    assert rows[1]["continues_run_id"] is None
    assert await books.rows("SELECT * FROM outbox") == []
    late = await answer(agui, turn, resolved(interrupts(turn)[0], {"approved": True}))
    assert (late.status, late.problem["code"]) == (409, "interrupt_closed")
    said = await books.messages(turn.headers["x-session-id"])
    assert [m["content"] for m in said if m["role"] == "user"] == ["Paint it.", "Never mind."]
    assert await books.audit() == {}


async def test_an_answer_that_is_dropped_without_a_word_lets_the_run_go_on(
    agui: AgUiClient, provider: FakeProvider
) -> None:
    turn = await waits(agui, provider)
    history = [{"id": str(uuid4()), "role": "assistant", "content": "old"}]
    after = await answer(agui, turn, dropped(interrupts(turn)[0]), messages=history)
    assert after.text == "The work is done."
    assert "would not answer" in told(provider)[0]


async def test_the_history_that_comes_along_is_no_new_message(
    agui: AgUiClient, provider: FakeProvider, books: Books
) -> None:
    body = agui.body("Paint it.")
    provider.scenario = asking(("ask_user", QUESTION))
    turn = await agui.ask("", thread_id=body["threadId"], messages=body["messages"])
    given = dropped(interrupts(turn)[0])
    after = await answer(agui, turn, given, messages=body["messages"])
    assert after.text == "The work is done."
    rows = await books.rows("SELECT status FROM runs ORDER BY created_at, id")
    assert [row["status"] for row in rows] == ["succeeded", "succeeded"]


@HOW
async def test_a_workflow_can_want_the_answer_first(
    deployment: Deployment, serve: Serve, provider: FakeProvider, how: str
) -> None:
    deployment.edit(
        "crews/chat/workflow.yaml", "timeout_s: 600", "timeout_s: 600\nwhen_waiting: refuse"
    )
    async with serve(deployment) as (agui, books):
        turn = await waits(agui, provider)
        [asked] = interrupts(turn)
        after = await says(agui, provider, turn, how)
        assert (after.status, after.problem["code"]) == (409, "waiting_input")
        assert after.problem["runId"] == turn.headers["x-run-id"]
        assert after.problem["interruptIds"] == [asked["id"]]
        assert await books.one("SELECT count(*) FROM messages WHERE role = 'user'") == 1
        assert (await answer(agui, turn, resolved(asked, RED))).last["type"] == "RUN_FINISHED"


@HOW
async def test_a_workflow_can_ask_again(
    deployment: Deployment, serve: Serve, provider: FakeProvider, how: str
) -> None:
    deployment.edit(
        "crews/chat/workflow.yaml", "timeout_s: 600", "timeout_s: 600\nwhen_waiting: ask_again"
    )
    async with serve(deployment) as (agui, books):
        turn = await waits(agui, provider)
        [first] = interrupts(turn)
        before = provider.stats.requests
        again = await says(agui, provider, turn, how)
        assert again.breaches == []
        [second] = interrupts(again)
        assert second["toolCallId"] == first["toolCallId"]
        assert second["id"] != first["id"]
        assert again.of("TOOL_CALL_START") == []
        assert provider.stats.requests == before
        late = await answer(agui, again, resolved(first, RED))
        assert (late.status, late.problem["code"]) == (409, "interrupt_closed")
        provider.scenario = chat_script(complexity="simple")
        after = await answer(agui, again, resolved(second, RED))
        assert after.text == "The work is done."
        assert told(provider) == ['{"answers":["red"]}']
        said = await books.messages(turn.headers["x-session-id"])
        assert [m["content"] for m in said if m["role"] == "user"] == ["Paint it.", "Never mind."]
        assert await books.audit() == {}
