"""Coming back to a session that has a todo list: it is shown once, and as it stands."""

from __future__ import annotations

from tests.agui.frames import check_event
from tests.fakes.agui_client import AgUiClient
from tests.fakes.provider.server import FakeProvider
from tests.flows.test_connect import connected
from tests.flows.todos import lists, rounds, spelled, todo_call

FIRST, SECOND = (">look", "-write"), ("xlook", ">write")


async def test_at_rest_it_stands_behind_what_was_said(
    agui: AgUiClient, provider: FakeProvider
) -> None:
    provider.scenario = rounds([todo_call(*FIRST)], [todo_call(*SECOND)])
    before = await agui.ask("Write a report.", thread_id="t")
    turn = await connected(agui, "t")
    assert turn.order.finish() == []
    for event in turn.events:
        check_event(event)
    assert turn.kinds() == [
        "RUN_STARTED", "MESSAGES_SNAPSHOT", "ACTIVITY_SNAPSHOT", "STATE_SNAPSHOT", "RUN_FINISHED",
    ]  # fmt: skip
    assert {m["role"] for m in turn.of("MESSAGES_SNAPSHOT")[0]["messages"]} == {"user", "assistant"}
    assert lists(turn) == lists(before)[-1:]


async def test_one_that_was_put_away_is_not_shown_again(
    agui: AgUiClient, provider: FakeProvider
) -> None:
    provider.scenario = rounds([todo_call(*FIRST)], [todo_call(*FIRST, archived=True)])
    await agui.ask("Write a report. No, leave it.", thread_id="t")
    assert lists(await connected(agui, "t")) == []


async def test_beside_a_run_it_is_as_that_run_found_it_and_then_what_it_makes_of_it(
    agui: AgUiClient, provider: FakeProvider
) -> None:
    provider.scenario = rounds([todo_call(*FIRST)])
    await agui.ask("Write a report.", thread_id="t")
    provider.scenario = rounds([], fault="stall", fault_at=1)
    async with agui.open("Wait.", thread_id="t") as (_, events):
        async for event in events:
            if event["type"] == "TEXT_MESSAGE_CONTENT":
                break
        async with agui.connect("t") as (unchanged, others):
            await anext(others)
            await agui.http.post("/v1/sessions/t/cancel")
            async for _ in others:
                pass
    assert unchanged.kinds()[:3] == ["RUN_STARTED", "MESSAGES_SNAPSHOT", "ACTIVITY_SNAPSHOT"]
    assert [spelled(each) for each in lists(unchanged)] == [list(FIRST)]

    provider.scenario = rounds([todo_call(*SECOND)], fault="stall", fault_at=1)
    async with agui.open("Go on.", thread_id="t") as (_, events):
        async for event in events:
            if event["type"] == "TEXT_MESSAGE_CONTENT":
                break
        async with agui.connect("t") as (changed, others):
            await anext(others)
            await agui.http.post("/v1/sessions/t/cancel")
            async for _ in others:
                pass
    assert changed.kinds()[:3] == ["RUN_STARTED", "MESSAGES_SNAPSHOT", "STATE_SNAPSHOT"]
    assert [spelled(each) for each in lists(changed)] == [list(SECOND)]
    assert (unchanged.order.finish(), changed.order.finish()) == ([], [])
