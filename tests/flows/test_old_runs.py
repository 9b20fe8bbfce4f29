"""Runs that ended long ago: stored in less space, replayed the same, and some day not any more."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from uuid import UUID

import pytest

from callsheet.db.options import DatabaseOptions
from callsheet.db.transaction import Database
from callsheet.kit.clock import SystemClock
from callsheet.wiring.upkeep import Upkeep, UpkeepOptions
from tests.fakes.agui_client import AgUiClient, Turn
from tests.fakes.books import Books
from tests.fakes.chat_script import chat_script
from tests.fakes.provider.server import FakeProvider
from tests.flows.waiting import answer, interrupts, resolved, waits

_LEFT = "SELECT journal, count(*) AS runs FROM runs GROUP BY journal ORDER BY journal"
SUM = {"name": "calculator", "arguments": '{"expression": "17*23"}'}


@pytest.fixture
async def upkeep(shared_database_url: str) -> AsyncIterator[Upkeep]:
    database = Database.from_options(DatabaseOptions(shared_database_url))
    yield Upkeep(database, SystemClock(), UpkeepOptions())
    await database.close()


async def watched(agui: AgUiClient, run_id: str, **place: str) -> Turn:
    async with agui.watch(run_id, **place) as (turn, events):
        async for _ in events:
            pass
    return turn


async def age(books: Books, run_id: str, days: float) -> None:
    await books.one(
        "UPDATE runs SET finished_at = finished_at - $2::interval WHERE id = $1",
        UUID(run_id),
        timedelta(days=days),
    )


async def test_a_packed_run_is_shown_as_it_was_from_every_frame_on(
    agui: AgUiClient, provider: FakeProvider, books: Books, upkeep: Upkeep
) -> None:
    provider.scenario = chat_script(
        execution={"tools": [SUM], "chunks": 30, "text": None, "gap_s": 0.002, "reasoning": 5},
        organization={"chunks": 30, "text": None, "gap_s": 0.002},
    )
    first = await agui.ask("hello")
    run_id = first.headers["x-run-id"]
    rows = await books.one("SELECT count(*) FROM run_events")
    await upkeep.sweep()
    assert await books.one("SELECT count(*) FROM run_events") == rows
    await age(books, run_id, 1.01)
    await upkeep.sweep()
    assert await books.one("SELECT count(*) FROM run_events") < rows * 0.8
    assert await books.one("SELECT journal FROM runs") == "packed"
    again = await watched(agui, run_id)
    assert (again.events, again.frame_ids) == (first.events, first.frame_ids)
    for seen in range(1, len(first.frame_ids), 7):
        rest = await watched(agui, run_id, last_event_id=first.frame_ids[seen - 1])
        assert (rest.events, rest.frame_ids) == (first.events[seen:], first.frame_ids[seen:])
    behind = await watched(agui, run_id, last_event_id=first.frame_ids[-1])
    assert behind.status == 204


async def test_a_run_that_is_too_old_is_told_as_such_and_what_was_said_stays(
    agui: AgUiClient, books: Books, upkeep: Upkeep
) -> None:
    old = await agui.ask("hello", thread_id="t", run_id="old")
    new = await agui.ask("and again", thread_id="t", run_id="new")
    await age(books, old.headers["x-run-id"], 30.01)
    await age(books, new.headers["x-run-id"], 29)
    await upkeep.sweep()
    for gone in (
        await watched(agui, "old"),
        await watched(agui, "old", last_event_id=old.frame_ids[-1]),
        await agui.ask("hello", thread_id="t", run_id="old"),
    ):
        assert (gone.status, gone.problem["code"]) == (410, "journal_gone")
    assert (await watched(agui, "new")).events == new.events
    async with agui.connect("t") as (connected, events):
        (snapshot,) = [event async for event in events if event["type"] == "MESSAGES_SNAPSHOT"]
    assert connected.order.finish() == []
    assert [message["content"] for message in snapshot["messages"]][:2] == ["hello", old.text]
    status = await agui.http.get("/v1/runs/old")
    assert (status.status_code, status.json()["status"]) == (200, "succeeded")


async def test_what_a_later_run_goes_on_from_is_kept_as_long_as_that(
    agui: AgUiClient, provider: FakeProvider, books: Books, upkeep: Upkeep
) -> None:
    provider.scenario = chat_script(organization={"fault": "status", "status": 400})
    failed = await agui.ask("hello", thread_id="t", run_id="failed")
    run_id = failed.headers["x-run-id"]
    assert failed.last["type"] == "RUN_ERROR"
    provider.scenario = chat_script()
    answer = await agui.http.post(f"/v1/runs/{run_id}/continue", json={"runId": "on"})
    assert answer.status_code == 200
    await age(books, run_id, 40)
    await upkeep.sweep()
    assert (await watched(agui, run_id)).events == failed.events
    await books.one("UPDATE runs SET finished_at = finished_at - interval '40 days'")
    await upkeep.sweep()
    assert (await watched(agui, run_id)).status == 410
    assert await books.one("SELECT count(*) FROM run_events") == 0


async def test_what_is_no_longer_known_is_not_gone_on_from(
    agui: AgUiClient, provider: FakeProvider, books: Books, upkeep: Upkeep
) -> None:
    provider.scenario = chat_script(organization={"fault": "status", "status": 400})
    failed = await agui.ask("hello", thread_id="t")
    await age(books, failed.headers["x-run-id"], 40)
    await upkeep.sweep()
    before = provider.stats.requests
    answer = await agui.http.post(f"/v1/runs/{failed.headers['x-run-id']}/continue", json={})
    assert (answer.status_code, answer.json()["code"]) == (410, "journal_gone")
    assert provider.stats.requests == before


async def test_the_words_of_what_was_asked_go_with_the_journal(
    agui: AgUiClient, provider: FakeProvider, books: Books, upkeep: Upkeep
) -> None:
    turn = await waits(agui, provider)
    [asked] = interrupts(turn)
    await answer(agui, turn, resolved(asked, {"answers": ["red"]}))
    await upkeep.sweep()
    path = f"/v1/interrupts/{asked['id']}"
    assert (await agui.http.get(path)).json()["answer"]["payload"] == {"answers": ["red"]}
    await books.one("UPDATE runs SET finished_at = finished_at - interval '40 days'")
    await upkeep.sweep()
    kept = (await agui.http.get(path)).json()
    assert (kept["message"], kept["detail"], kept["answer"]["payload"]) == ("", {}, None)
    assert kept["status"] == "answered"


async def test_a_deleted_sessions_events_are_removed_a_day_later(
    agui: AgUiClient, books: Books, upkeep: Upkeep
) -> None:
    await agui.ask("hello", thread_id="deleted")
    await agui.ask("hello", thread_id="stays")
    await agui.http.delete("/v1/sessions/deleted")
    before = await books.one("SELECT count(*) FROM run_events")
    await upkeep.sweep()
    assert await books.one("SELECT count(*) FROM run_events") == before
    await books.one("UPDATE sessions SET deleted_at = deleted_at - interval '25 hours'")
    await upkeep.sweep()
    assert await books.rows(_LEFT) == [
        {"journal": "gone", "runs": 1},
        {"journal": "whole", "runs": 1},
    ]
    assert await books.one("SELECT count(DISTINCT run_id) FROM run_events") == 1


async def test_a_journal_that_cannot_be_packed_holds_up_no_other(
    agui: AgUiClient, provider: FakeProvider, books: Books, upkeep: Upkeep
) -> None:
    provider.scenario = chat_script()
    broken, other = await agui.ask("one"), await agui.ask("two")
    await books.one(
        "UPDATE run_events SET event = jsonb_build_object('kind', 'of a later version') "
        "WHERE run_id = $1 AND seq = 2",
        UUID(broken.headers["x-run-id"]),
    )
    await age(books, broken.headers["x-run-id"], 3)
    await age(books, other.headers["x-run-id"], 2)
    await upkeep.sweep()
    await upkeep.sweep()
    packed = "SELECT journal = 'packed' FROM runs WHERE id = $1"
    assert not await books.one(packed, UUID(broken.headers["x-run-id"]))
    assert await books.one(packed, UUID(other.headers["x-run-id"]))
