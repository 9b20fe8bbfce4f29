"""A todo list through HTTP: what the client sees, what is stored, what the next turn is told."""

from __future__ import annotations

from typing import Any

from tests.agui.frames import check_event
from tests.fakes.agui_client import AgUiClient, Turn
from tests.fakes.books import Books
from tests.fakes.deployment import Deployment
from tests.fakes.provider.server import FakeProvider
from tests.fixtures.app import Serve
from tests.flows.todos import lists, rounds, spelled, todo_call
from tests.flows.waiting import QUESTION, answer, asking, interrupts, resolved, told

FIRST, SECOND, LAST = (">look", "-write"), ("xlook", ">write"), ("xlook", "xwrite")


async def stored(agui: AgUiClient, turn: Turn) -> Any:
    found = await agui.http.get(f"/v1/sessions/{turn.headers['x-session-id']}/todo-list")
    assert found.status_code == 200
    return found.json()


def data_of(provider: FakeProvider) -> str:
    """What the executing agent was told by its user when its turn began."""
    begun = [b for b in provider.bodies if "You are Problem solver" in str(b["messages"][0])]
    said: str = [m for m in begun[-1]["messages"] if m["role"] == "user"][-1]["content"]
    return said


async def test_each_change_is_shown_whole_under_one_id_and_stored(
    agui: AgUiClient, provider: FakeProvider, books: Books
) -> None:
    provider.scenario = rounds([todo_call(*FIRST)], [todo_call(*SECOND)], [todo_call(*LAST)])
    turn = await agui.ask("Write a report.")

    assert turn.breaches == []
    for event in turn.events:
        check_event(event)
    assert turn.text == "The work is done."
    shown = lists(turn)
    assert [spelled(each) for each in shown] == [list(FIRST), list(SECOND), list(LAST)]
    assert [each["revision"] for each in shown] == [1, 2, 3]
    assert [each["status"] for each in shown] == ["active", "active", "completed"]
    assert len({tuple(item["id"] for item in each["items"]) for each in shown}) == 1
    assert told(provider)[0] == '{"status":"active","revision":1,"completed":0,"of":2}'
    found = await stored(agui, turn)
    assert {key: found[key] for key in ("title", "revision", "status", "items")} == {
        key: shown[-1][key] for key in ("title", "revision", "status", "items")
    }
    assert (found["id"], found["runId"]) == (shown[-1]["listId"], turn.headers["x-run-id"])
    kinds = turn.kinds()
    assert kinds.index("ACTIVITY_SNAPSHOT") < kinds.index("TOOL_CALL_RESULT")
    assert await books.audit() == {}


async def test_a_session_without_one_is_untouched(
    agui: AgUiClient, provider: FakeProvider, books: Books
) -> None:
    provider.scenario = rounds()
    turn = await agui.ask("Hello")
    assert lists(turn) == []
    found = await agui.http.get(f"/v1/sessions/{turn.headers['x-session-id']}/todo-list")
    assert (found.status_code, found.content) == (204, b"")
    assert (await agui.http.get("/v1/sessions/other/todo-list")).status_code == 404
    assert await books.rows("SELECT * FROM session_todo_lists") == []
    await agui.ask("Again", thread_id=turn.thread_id)
    assert "<todo>" not in data_of(provider)


async def test_the_agent_is_told_when_to_open_one(agui: AgUiClient, provider: FakeProvider) -> None:
    provider.scenario = rounds()
    await agui.ask("Hello")
    systems = [str(body["messages"][0]["content"]) for body in provider.bodies]
    assert ["# Todo list" in system for system in systems] == [False, True]
    offered = [tool["function"]["name"] for tool in provider.bodies[-1]["tools"]]
    assert "manage_todo_list" in offered


async def test_a_move_that_is_not_allowed_goes_back_to_the_model_with_the_way_out(
    agui: AgUiClient, provider: FakeProvider, books: Books
) -> None:
    provider.scenario = rounds(
        [todo_call(">look", ">write", "xcheck")],
        [todo_call(*FIRST)],
        [todo_call("xlook", "xwrite")],
        [todo_call(*SECOND)],
    )
    turn = await agui.ask("Write a report.")
    assert turn.breaches == []
    first, _, third, _ = told(provider)
    assert first.startswith("Error: The list was not changed: 2 steps are running")
    assert "'check' is new and cannot be completed yet" in first
    assert "'write' is pending; send it as running first" in third
    assert third.endswith("The list as it stands:\nReport\n[>] look\n[ ] write")
    assert [spelled(each) for each in lists(turn)] == [list(FIRST), list(SECOND)]
    statuses = await books.rows(
        "SELECT metadata->'tool'->>'status' AS s FROM messages WHERE role='tool' ORDER BY seq"
    )
    assert [row["s"] for row in statuses] == ["error", "ok", "error", "ok"]


async def test_two_changes_in_one_answer_are_made_one_after_the_other(
    agui: AgUiClient, provider: FakeProvider, books: Books
) -> None:
    provider.scenario = rounds([todo_call(*FIRST), todo_call(">look", "-write", "-print")])
    turn = await agui.ask("Write a report.")
    assert turn.breaches == []
    assert [each["revision"] for each in lists(turn)] == [1, 2]
    assert await books.one("SELECT count(*) FROM session_todo_lists") == 1
    assert (await stored(agui, turn))["revision"] == 2


async def test_the_next_turn_is_told_of_an_open_list_and_goes_on_with_it(
    agui: AgUiClient, provider: FakeProvider
) -> None:
    provider.scenario = rounds([todo_call(*FIRST)])
    first = await agui.ask("Write a report.")
    assert "<todo>" not in data_of(provider)

    provider.scenario = rounds([todo_call(*SECOND)])
    second = await agui.ask("Go on.", thread_id=first.thread_id)
    assert second.breaches == []
    assert "<todo>\nReport\n[>] look\n[ ] write\n</todo>" in data_of(provider)
    assert lists(second)[0]["listId"] == lists(first)[0]["listId"]
    assert lists(second)[0]["revision"] == 2

    provider.scenario = rounds([todo_call(*LAST)])
    await agui.ask("Go on.", thread_id=first.thread_id)
    provider.scenario = rounds([todo_call(">print", title="Book")])
    fourth = await agui.ask("Now a book.", thread_id=first.thread_id)
    assert "<todo>" not in data_of(provider)
    [new] = lists(fourth)
    assert (new["listId"], new["revision"]) == (lists(first)[0]["listId"], 4)
    assert (new["title"], new["status"], spelled(new)) == ("Book", "active", [">print"])


async def test_a_list_that_is_put_away_is_not_gone_on_with(
    agui: AgUiClient, provider: FakeProvider
) -> None:
    provider.scenario = rounds([todo_call(*FIRST)], [todo_call(*FIRST, archived=True)])
    turn = await agui.ask("Write a report. No, leave it.")
    assert [each["status"] for each in lists(turn)] == ["active", "archived"]
    provider.scenario = rounds([todo_call("-write", ">look")])
    again = await agui.ask("Do write it.", thread_id=turn.thread_id)
    assert "<todo>" not in data_of(provider)
    assert [each["status"] for each in lists(again)] == ["active"]


async def test_a_run_that_waits_goes_on_with_its_list(
    agui: AgUiClient, provider: FakeProvider
) -> None:
    provider.scenario = asking(("ask_user", QUESTION))
    waiting = await agui.ask("Paint it.")
    provider.scenario = rounds([], [todo_call(*FIRST)])
    after = await answer(agui, waiting, resolved(interrupts(waiting)[0], {"answers": ["red"]}))
    assert after.breaches == []
    assert [spelled(each) for each in lists(after)] == [list(FIRST)]


async def test_an_edited_message_puts_the_list_of_its_old_answer_away(
    agui: AgUiClient, provider: FakeProvider
) -> None:
    message = {"id": "mine", "role": "user", "content": "Write a report."}
    provider.scenario = rounds([todo_call(*FIRST)], [todo_call(*SECOND)])
    await agui.ask("", thread_id="t", messages=[message])
    provider.scenario = rounds([todo_call(*FIRST)])
    edited = [{**message, "content": "Write a short report."}]
    again = await agui.ask("", thread_id="t", messages=edited)
    assert "<todo>" not in data_of(provider)
    assert [spelled(each) for each in lists(again)] == [list(FIRST)]
    assert (await stored(agui, again))["revision"] == 4


async def test_it_survives_the_server_and_is_seen_by_its_owner_alone(
    deployment: Deployment, provider: FakeProvider, serve: Serve
) -> None:
    keys = {"auth": {"api_keys": ["ann:key-of-ann-0123456789", "bob:key-of-bob-0123456789"]}}
    ann = {"Authorization": "Bearer key-of-ann-0123456789"}
    bob = {"Authorization": "Bearer key-of-bob-0123456789"}
    provider.scenario = rounds([todo_call(*FIRST)])
    async with serve(deployment, **keys) as (agui, _):
        agui.http.headers.update(ann)
        turn = await agui.ask("Write a report.")
    async with serve(deployment, **keys) as (agui, _):
        path = f"/v1/sessions/{turn.headers['x-session-id']}/todo-list"
        mine = await agui.http.get(path, headers=ann)
        assert [item["label"] for item in mine.json()["items"]] == ["look", "write"]
        assert (await agui.http.get(path, headers=bob)).status_code == 404
        assert (await agui.http.get(path)).status_code == 401


async def test_it_goes_with_its_session(agui: AgUiClient, provider: FakeProvider) -> None:
    provider.scenario = rounds([todo_call(*FIRST)])
    turn = await agui.ask("Write a report.")
    session = f"/v1/sessions/{turn.headers['x-session-id']}"
    assert (await agui.http.delete(session)).status_code == 204
    assert (await agui.http.get(f"{session}/todo-list")).status_code == 404
