"""Runs that wait and are never answered, and answers whose run breaks off."""

from __future__ import annotations

import json

import pytest

from tests.fakes.agui_client import AgUiClient
from tests.fakes.books import Books
from tests.fakes.chat_script import chat_script
from tests.fakes.provider.server import FakeProvider
from tests.flows.waiting import MAIL, answer, interrupts, resolved, waits

RED = {"answers": ["red"]}


async def test_a_run_that_waits_can_be_stopped(
    agui: AgUiClient, provider: FakeProvider, books: Books
) -> None:
    turn = await waits(agui, provider)
    [asked] = interrupts(turn)
    stopped = await agui.http.post(f"/v1/runs/{turn.headers['x-run-id']}/cancel")
    assert stopped.json()["status"] == "cancelled"
    late = await answer(agui, turn, resolved(asked, RED))
    assert (late.status, late.problem["code"]) == (409, "interrupt_closed")
    assert await books.one("SELECT status FROM sessions") == "completed"
    turn = await waits(agui, provider)
    session = turn.headers["x-session-id"]
    stopped = await agui.http.post(f"/v1/sessions/{session}/cancel")
    assert stopped.json()["run"]["status"] == "cancelled"


async def test_a_deleted_session_waits_for_nothing(
    agui: AgUiClient, provider: FakeProvider
) -> None:
    turn = await waits(agui, provider)
    assert (await agui.http.delete(f"/v1/sessions/{turn.thread_id}")).status_code == 204
    assert (await agui.http.get("/v1/interrupts")).json()["items"] == []


async def test_an_answer_that_comes_too_late_is_refused_and_the_thread_is_free(
    agui: AgUiClient, provider: FakeProvider, books: Books
) -> None:
    turn = await waits(agui, provider)
    [asked] = interrupts(turn)
    await books.one("UPDATE interrupts SET expires_at = now() - interval '1 s' RETURNING id")
    late = await answer(agui, turn, resolved(asked, RED))
    assert (late.status, late.problem["code"]) == (409, "interrupt_expired")
    assert (await agui.http.get("/v1/interrupts")).json()["items"] == []
    provider.scenario = chat_script()
    after = await agui.ask("Hello again", thread_id=turn.thread_id)
    assert after.text == "Here is your answer."
    run = (await agui.http.get(f"/v1/runs/{turn.headers['x-run-id']}")).json()
    assert (run["status"], run["error"]["code"]) == ("failed", "interrupt_expired")


@pytest.mark.parametrize("is_heard", [True, False])
async def test_what_was_answered_is_not_asked_again_when_the_run_that_went_on_broke_off(
    agui: AgUiClient, provider: FakeProvider, books: Books, is_heard: bool
) -> None:
    """Also where its process was gone before it could journal the answer."""
    turn = await waits(agui, provider, ("send_mail", MAIL))
    [asked] = interrupts(turn)
    provider.scenario = chat_script(complexity="simple", execution={"fault": "status"})
    broken = await answer(agui, turn, resolved(asked, {"approved": True}))
    assert broken.last["type"] == "RUN_ERROR"
    run_id = broken.headers["x-run-id"]
    if not is_heard:
        hidden = {"kind": "run_taken_over", "worker_id": "w", "epoch": 1}
        await books.one(
            "UPDATE run_events SET event = $2::text::jsonb "
            "WHERE run_id = $1::uuid AND event->>'kind' = 'interrupt_answered' RETURNING seq",
            run_id,
            json.dumps(hidden),
        )
    provider.scenario = chat_script(complexity="simple")
    after = await agui.go_on(run_id)
    assert after.text == "The work is done."
    assert await books.one("SELECT count(*) FROM outbox") == 1
    assert await books.audit() == {}


async def test_a_run_that_was_stopped_while_it_waited_asks_again_when_it_is_gone_on_with(
    agui: AgUiClient, provider: FakeProvider
) -> None:
    turn = await waits(agui, provider)
    run_id = turn.headers["x-run-id"]
    await agui.http.post(f"/v1/runs/{run_id}/cancel")
    before = provider.stats.requests
    again = await agui.go_on(run_id)
    [asked] = interrupts(again)
    assert asked["id"] != interrupts(turn)[0]["id"]
    assert provider.stats.requests == before
    provider.scenario = chat_script(complexity="simple")
    after = await agui.ask("", thread_id=turn.thread_id, messages=[], resume=[resolved(asked, RED)])
    assert after.text == "The work is done."
