"""Looking on at a run: from its beginning or any frame, while it runs and after, from anywhere."""

from __future__ import annotations

import pytest

from tests.fakes.agui_client import AgUiClient, Turn
from tests.fakes.chat_script import chat_script
from tests.fakes.deployment import Deployment
from tests.fakes.provider.server import FakeProvider
from tests.fakes.two_apps import two_apps

HELD = {"text": None, "chunks": 6, "fault": "stall", "fault_at": 3}


async def watched(agui: AgUiClient, run_id: str, **place: str) -> Turn:
    async with agui.watch(run_id, **place) as (turn, events):
        async for _ in events:
            pass
    return turn


@pytest.mark.parametrize("protocol", ["1.0", None])
@pytest.mark.parametrize("state", [{}, {"cart": [1]}, [1]])
async def test_a_run_that_has_ended_is_shown_as_it_was_the_first_time(
    agui: AgUiClient, protocol: str | None, state: object
) -> None:
    client = AgUiClient(agui.http, protocol=protocol)
    first = await client.ask("hello", thread_id="my thread", run_id="my run", state=state)
    again = await watched(client, "my run")
    assert again.finish().breaches == []
    assert (again.events, again.frame_ids) == (first.events, first.frame_ids)
    assert again.headers["x-session-id"] == first.headers["x-session-id"]


async def test_who_comes_back_gets_what_followed_and_nothing_twice(agui: AgUiClient) -> None:
    first = await agui.ask("hello")
    run_id = first.headers["x-run-id"]
    for seen, frame_id in enumerate(first.frame_ids, start=1):
        rest = await watched(agui, run_id, last_event_id=frame_id)
        assert rest.events == first.events[seen:]
        assert rest.frame_ids == first.frame_ids[seen:]
        assert rest.status == (200 if rest.events else 204)
    entry = first.frame_ids[5].partition(":")[2].partition(".")[0]
    of_entry = await watched(agui, run_id, after=entry)
    assert of_entry.frame_ids[0].partition(":")[2].startswith(f"{int(entry) + 1}.")
    named = await watched(agui, run_id, after=f"{entry}.1", last_event_id=first.frame_ids[-1])
    assert named.frame_ids == first.frame_ids[first.frame_ids.index(f"{run_id}:{entry}.1") + 1 :]


async def test_many_look_on_at_a_run_under_way_and_all_see_the_same(
    agui: AgUiClient, provider: FakeProvider
) -> None:
    provider.scenario = chat_script(execution=HELD)
    async with agui.open("hello") as (first, events):
        async for event in events:
            if event["type"] == "REASONING_MESSAGE_CONTENT" and "w00002" in event["delta"]:
                break
        run_id, place = first.headers["x-run-id"], first.frame_ids[-1]
        async with (
            agui.watch(run_id) as (other, others),
            agui.watch(run_id, last_event_id=place) as (later, laters),
        ):
            await anext(others)
            await agui.http.post(f"/v1/runs/{run_id}/cancel")
            for stream in (events, others, laters):
                async for _ in stream:
                    pass
    assert first.finish().breaches == other.finish().breaches == []
    assert other.events == first.events
    assert later.events == first.events[first.frame_ids.index(place) + 1 :]


async def test_a_run_of_another_process_is_shown_to_its_end(
    deployment: Deployment, database_url: str, provider: FakeProvider
) -> None:
    provider.scenario = chat_script(execution=HELD)
    async with (
        two_apps(deployment.settings(database_url)) as (here, there),
        here.open("hello") as (first, events),
    ):
        async for event in events:
            if event["type"] == "REASONING_MESSAGE_CONTENT":
                break
        run_id = first.headers["x-run-id"]
        async with there.watch(run_id) as (other, others):
            await anext(others)
            await here.http.post(f"/v1/runs/{run_id}/cancel")
            for stream in (others, events):
                async for _ in stream:
                    pass
    assert first.finish().breaches == other.finish().breaches == []
    assert (other.events, other.frame_ids) == (first.events, first.frame_ids)


async def test_a_viewer_of_another_generation_gets_the_end_that_it_knows(
    agui: AgUiClient, provider: FakeProvider
) -> None:
    provider.scenario = chat_script(execution=HELD)
    async with agui.open("hello", run_id="r") as (first, events):
        await anext(events)
        await agui.http.post("/v1/runs/r/cancel")
        async for _ in events:
            pass
    old = await watched(agui, "r", protocolVersion="0.0.59")
    assert first.last["outcome"] == {"type": "cancelled"}
    assert "outcome" not in old.last
    assert old.last["metadata"]["finishReason"] == "cancelled"
    assert old.frame_ids == first.frame_ids
    assert (await watched(agui, "r", protocolVersion="1.0")).events == first.events


@pytest.mark.parametrize("shift", [0, 5])
async def test_behind_the_end_of_a_run_there_is_nothing_and_a_browser_asks_no_more(
    agui: AgUiClient, shift: int
) -> None:
    first = await agui.ask("hello")
    run_id, last = first.headers["x-run-id"], first.frame_ids[-1]
    seq = int(last.partition(":")[2].partition(".")[0]) + shift
    for place in (str(seq), last if shift == 0 else f"{run_id}:{seq}.1"):
        answer = await agui.http.get(f"/v1/runs/{run_id}/events", headers={"Last-Event-ID": place})
        assert (answer.status_code, answer.content) == (204, b"")


@pytest.mark.parametrize(
    "place", ["first", "1.2.3", "-1", "00000000-0000-0000-0000-000000000000:1.1", "9" * 30]
)
async def test_a_place_that_is_none_is_named(agui: AgUiClient, place: str) -> None:
    first = await agui.ask("hello")
    run_id = first.headers["x-run-id"]
    for given in ({"after": place}, {"last_event_id": place}):
        refused = await watched(agui, run_id, **given)
        assert (refused.status, refused.problem["code"]) == (422, "invalid")
        assert refused.problem["field"] in {"after", "Last-Event-ID"}


async def test_a_run_of_a_deleted_session_tells_no_more_what_was_said(agui: AgUiClient) -> None:
    first = await agui.ask("hello", thread_id="t")
    await agui.http.delete("/v1/sessions/t")
    assert (await watched(agui, first.headers["x-run-id"])).status == 404


async def test_a_run_that_is_not_there_is_not_found(agui: AgUiClient) -> None:
    assert (await watched(agui, "nobody's run")).status == 404
