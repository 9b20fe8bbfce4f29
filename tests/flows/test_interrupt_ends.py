"""Runs that wait and are never answered."""

from __future__ import annotations

from tests.fakes.agui_client import AgUiClient
from tests.fakes.books import Books
from tests.fakes.chat_script import chat_script
from tests.fakes.provider.server import FakeProvider
from tests.flows.waiting import (
    answer,
    interrupts,
    resolved,
    waits,
)

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
