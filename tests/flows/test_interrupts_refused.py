"""Answers that are refused, given twice, or given by two at once."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import uuid4

import httpx

from tests.fakes.agui_client import AgUiClient
from tests.fakes.books import Books
from tests.fakes.chat_script import chat_script
from tests.fakes.deployment import Deployment
from tests.fakes.provider.server import FakeProvider
from tests.fixtures.app import Serve
from tests.flows.waiting import (
    MAIL,
    answer,
    dropped,
    interrupts,
    resolved,
    waits,
)

RED = {"answers": ["red"]}


async def statuses(books: Books) -> list[str]:
    rows = await books.rows("SELECT status FROM runs ORDER BY created_at, id")
    return [row["status"] for row in rows]


async def mails(books: Books) -> list[dict[str, Any]]:
    return await books.rows("SELECT recipients, subject, body FROM outbox")


async def test_what_is_refused_changes_nothing(
    agui: AgUiClient, provider: FakeProvider, books: Books
) -> None:
    turn = await waits(agui, provider)
    [asked] = interrupts(turn)
    before = provider.stats.requests
    refused = {
        "interrupt_unknown": [{"interruptId": str(uuid4()), "payload": RED}],
        "interrupt_answer_invalid": [resolved(asked, {"answers": []})],
        "interrupt_answered_twice": [resolved(asked, RED), dropped(asked)],
        "invalid": [{"interruptId": asked["id"], "status": "maybe"}],
    }
    for code, resume in refused.items():
        turned_away = await answer(agui, turn, *resume)
        assert (turned_away.status, turned_away.problem["code"]) == (422, code)
    assert provider.stats.requests == before
    assert await statuses(books) == ["waiting_input"]
    after = await answer(agui, turn, resolved(asked, RED))
    assert after.text == "The work is done."


async def test_a_second_answer_that_differs_is_refused_and_names_the_run(
    agui: AgUiClient, provider: FakeProvider, books: Books
) -> None:
    turn = await waits(agui, provider)
    [asked] = interrupts(turn)
    after = await answer(agui, turn, resolved(asked, RED))
    other = await answer(agui, turn, resolved(asked, {"answers": ["blue"]}))
    assert (other.status, other.problem["code"]) == (409, "interrupt_answered")
    assert other.problem["runId"] == after.headers["x-run-id"]
    assert await statuses(books) == ["succeeded", "succeeded"]


async def test_two_devices_that_answer_at_once_start_one_run(
    agui: AgUiClient, provider: FakeProvider, books: Books
) -> None:
    turn = await waits(agui, provider, ("send_mail", MAIL))
    [asked] = interrupts(turn)
    given = resolved(asked, {"approved": True})
    both = await asyncio.gather(*(answer(agui, turn, given) for _ in range(6)))
    assert {each.status for each in both} == {200}
    assert {each.text for each in both} == {"The work is done."}
    assert len({each.headers["x-run-id"] for each in both}) == 1
    assert len(await mails(books)) == 1
    assert await statuses(books) == ["succeeded", "succeeded"]


async def test_of_two_different_answers_at_once_one_is_taken(
    agui: AgUiClient, provider: FakeProvider, books: Books
) -> None:
    turn = await waits(agui, provider, ("send_mail", MAIL))
    [asked] = interrupts(turn)
    yes, no = resolved(asked, {"approved": True}), resolved(asked, {"approved": False})
    both = await asyncio.gather(answer(agui, turn, yes), answer(agui, turn, no))
    assert sorted(each.status for each in both) == [200, 409]
    [refused] = [each for each in both if each.status == 409]
    assert refused.problem["code"] == "interrupt_answered"
    assert len(await mails(books)) == (1 if both[0].status == 200 else 0)


async def test_another_users_answer_is_to_nothing(
    deployment: Deployment, serve: Serve, provider: FakeProvider
) -> None:
    keys = ["ann:sk-ann-0123456789", "bob:sk-bob-0123456789"]
    async with serve(deployment, auth={"api_keys": keys}) as (agui, books):
        agui.http.headers["Authorization"] = "Bearer sk-ann-0123456789"
        turn = await waits(agui, provider, ("send_mail", MAIL))
        [asked] = interrupts(turn)
        given = resolved(asked, {"approved": True})
        async with httpx.AsyncClient(base_url=agui.http.base_url, timeout=30) as http:
            http.headers["Authorization"] = "Bearer sk-bob-0123456789"
            bob = AgUiClient(http)
            provider.scenario = chat_script()
            own = await bob.ask("Hello")
            for thread in (turn.thread_id, own.thread_id):
                refused = await bob.ask("", thread_id=thread, resume=[given], messages=[])
                assert (refused.status, refused.problem["code"]) == (422, "interrupt_unknown")
            assert (await http.get("/v1/interrupts")).json()["items"] == []
            assert (await http.get(f"/v1/interrupts/{asked['id']}")).status_code == 404
        assert await mails(books) == []
        after = await answer(agui, turn, given)
        assert after.last["type"] == "RUN_FINISHED"
        assert len(await mails(books)) == 1
