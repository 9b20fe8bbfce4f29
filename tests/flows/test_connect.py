"""Coming back to a session with nothing in hand: what was said, the state, and the run live."""

from __future__ import annotations

from typing import Any

from tests.agui.frames import check_event
from tests.fakes.agui_client import AgUiClient, Turn
from tests.fakes.books import Books
from tests.fakes.chat_script import chat_script
from tests.fakes.deployment import Deployment
from tests.fakes.provider.server import FakeProvider
from tests.fakes.running_app import RunningApp
from tests.fakes.two_apps import client_of
from tests.fixtures.app import Serve


async def connected(agui: AgUiClient, thread_id: str) -> Turn:
    async with agui.connect(thread_id) as (turn, events):
        async for _ in events:
            pass
    return turn


def said(turn: Turn) -> list[tuple[str, str]]:
    (snapshot,) = turn.of("MESSAGES_SNAPSHOT")
    return [(message["role"], message["content"]) for message in snapshot["messages"]]


async def test_a_session_at_rest_is_its_history_and_state_and_ends(agui: AgUiClient) -> None:
    await agui.ask("one", thread_id="my thread")
    second = await agui.ask("two", thread_id="my thread")
    turn = await connected(agui, "my thread")
    assert turn.kinds() == ["RUN_STARTED", "MESSAGES_SNAPSHOT", "STATE_SNAPSHOT", "RUN_FINISHED"]
    assert turn.order.finish() == []
    for event in turn.events:
        check_event(event)
    assert {event["threadId"] for event in turn.of("RUN_STARTED", "RUN_FINISHED")} == {"my thread"}
    assert said(turn) == [
        ("user", "one"),
        ("assistant", "Here is your answer."),
        ("user", "two"),
        ("assistant", "Here is your answer."),
    ]
    (started,) = second.of("TEXT_MESSAGE_START")
    assert turn.of("MESSAGES_SNAPSHOT")[0]["messages"][-1]["id"] == started["messageId"]
    session = (await agui.http.get("/v1/sessions/my%20thread")).json()
    assert turn.of("STATE_SNAPSHOT")[0]["snapshot"]["callsheet"]["session"] == {
        "totalTokens": session["totalTokens"],
        "totalCost": session["totalCost"],
        "currency": "USD",
    }


async def test_a_users_message_has_the_id_that_its_client_gave(agui: AgUiClient) -> None:
    body: dict[str, Any] = {"messages": [{"id": "mine", "role": "user", "content": "hello"}]}
    await agui.ask("", thread_id="t", **body)
    turn = await connected(agui, "t")
    assert turn.of("MESSAGES_SNAPSHOT")[0]["messages"][0]["id"] == "mine"


async def test_a_run_under_way_is_shown_whole_behind_what_was_said_before_it(
    agui: AgUiClient, provider: FakeProvider
) -> None:
    await agui.ask("one", thread_id="t")
    provider.scenario = chat_script(
        execution={"text": None, "chunks": 6, "fault": "stall", "fault_at": 3}
    )
    async with agui.open("two", thread_id="t") as (first, events):
        async for event in events:
            if event["type"] == "REASONING_MESSAGE_CONTENT" and "w00002" in event["delta"]:
                break
        async with agui.connect("t") as (turn, others):
            await anext(others)
            await agui.http.post("/v1/sessions/t/cancel")
            for stream in (events, others):
                async for _ in stream:
                    pass
    assert turn.order.finish() == []
    assert said(turn) == [("user", "one"), ("assistant", "Here is your answer."), ("user", "two")]
    assert turn.kinds()[:3] == ["RUN_STARTED", "MESSAGES_SNAPSHOT", "STATE_SNAPSHOT"]
    rest = [event for event in turn.events if event["type"] != "MESSAGES_SNAPSHOT"]
    assert (rest, turn.frame_ids) == (first.events, first.frame_ids)
    for event in turn.events:
        check_event(event)


async def test_what_is_no_longer_said_is_not_in_it(agui: AgUiClient) -> None:
    message = {"id": "mine", "role": "user", "content": "one"}
    await agui.ask("", thread_id="t", messages=[message])
    await agui.ask("", thread_id="t", messages=[{**message, "content": "one, edited"}])
    assert said(await connected(agui, "t")) == [
        ("user", "one, edited"),
        ("assistant", "Here is your answer."),
    ]


async def test_of_a_long_session_the_last_of_what_was_said_is_in_it(
    agui: AgUiClient, books: Books
) -> None:
    await agui.ask("one", thread_id="t")
    await books.one(
        "INSERT INTO messages (id, session_id, role, content, seq, currency)"
        " SELECT gen_random_uuid(), session_id, 'user', number || repeat(' 界', 8000),"
        " 100 + number, currency FROM messages, generate_series(1, 1200) AS number"
        " WHERE role = 'user'"
    )
    numbers = [int(text.split()[0]) for _, text in said(await connected(agui, "t"))]
    assert numbers == list(range(952, 1201))


async def test_a_session_that_is_not_there_is_not_found(agui: AgUiClient) -> None:
    turn = await connected(agui, "nobody")
    assert (turn.status, turn.problem["code"]) == (404, "not_found")


async def test_money_is_hidden_here_too(serve: Serve, deployment: Deployment) -> None:
    async with serve(deployment, show={"costs": False}) as (agui, _):
        await agui.ask("one", thread_id="t")
        turn = await connected(agui, "t")
    (state,) = turn.of("STATE_SNAPSHOT")
    assert set(state["snapshot"]["callsheet"]["session"]) == {"totalTokens"}


async def test_who_comes_back_to_a_run_that_waits_for_a_worker_sees_what_was_said_at_once(
    deployment: Deployment, database_url: str, provider: FakeProvider
) -> None:
    provider.scenario = chat_script()
    settings = deployment.settings(database_url)
    async with (
        RunningApp(settings, kind="api") as door,
        client_of(door) as agui,
        agui.open("one", thread_id="t"),
        agui.connect("t") as (turn, events),
    ):
        first = [await anext(events), await anext(events)]
        assert [event["type"] for event in first] == ["RUN_STARTED", "MESSAGES_SNAPSHOT"]
        assert said(turn) == [("user", "one")]
        async with RunningApp(settings):
            async for _ in events:
                pass
    for event in turn.events:
        check_event(event)
    assert turn.order.finish() == []
    assert turn.text == "Here is your answer."
    assert turn.kinds().count("RUN_STARTED") == 1
    assert turn.events[0]["threadId"] == "t"
