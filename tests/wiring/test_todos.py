"""Todo lists as they are kept: one of each session, each change once, gone with the session."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any, cast
from uuid import UUID

import pytest

from callsheet.db.transaction import Database
from callsheet.journal.changes import RunKeys
from callsheet.kit.deadline import Deadline
from callsheet.kit.errors import NotFound, ToolFailed, ToolRetry
from callsheet.kit.ids import new_id
from callsheet.sessions.message_store import take_again
from callsheet.sessions.store import delete_session
from callsheet.todos.store import find_list, put_away, save_list
from callsheet.todos.todo_list import TodoList
from callsheet.tools.context import ToolContext
from callsheet.tools.tell import Untold
from callsheet.turn.request import TurnRequest
from callsheet.wiring.core import Core
from callsheet.wiring.history import SessionHistory
from callsheet.wiring.kept_todos import KeptTodos
from callsheet.wiring.todos import TodoService
from callsheet.wiring.upkeep import Upkeep, UpkeepOptions
from tests.fakes.clock import HandClock
from tests.journal.stage import USER, admitted, gate
from tests.journal.stage import wish as run_wish
from tests.sessions.rows import OTHER, change, rows, say
from tests.todos.lists import spelled, wish


@dataclass
class Heard(Untold):
    shown: list[tuple[str, UUID, Mapping[str, Any]]] = field(default_factory=list)

    def show(self, activity: str, message_id: UUID, content: Mapping[str, Any]) -> None:
        self.shown.append((activity, message_id, content))


@dataclass
class Place:
    database: Database
    keys: RunKeys
    message_id: UUID
    heard: Heard = field(default_factory=Heard)
    clock: HandClock = field(default_factory=HandClock)

    @property
    def tools(self) -> KeptTodos:
        return KeptTodos(lambda: self.database)

    @property
    def service(self) -> TodoService:
        return TodoService(lambda: cast(Core, self))

    def call(self, id_: str) -> ToolContext:
        return ToolContext(
            user_id=self.keys.user_id,
            session_id=self.keys.session_id,
            run_id=self.keys.run_id,
            tool_call_id=id_,
            agent="worker",
            deadline=Deadline.after(30),
            clock=self.clock,
            tell=self.heard,
        )

    async def put(self, id_: str, *steps: str, **more: Any) -> TodoList:
        return await self.tools.put(self.call(id_), wish(*steps, **more))

    async def stored(self) -> TodoList | None:
        async with self.database.read() as tx:
            return await find_list(tx, self.keys.session_id)

    async def told(self, message_id: UUID) -> str:
        """What the turn that answers the message is told of the list."""
        request = TurnRequest(
            run_id=new_id(),
            session_id=self.keys.session_id,
            user_id=self.keys.user_id,
            workflow="chat",
            message_id=message_id,
            message_text="",
            trace_id="t",
        )
        return (await SessionHistory(self.database).before(request)).todo


@pytest.fixture
async def place(database: Database) -> Place:
    run = await admitted(database)
    return Place(database, run.keys, run.message_id)


async def test_a_change_is_stored_and_shown_whole(place: Place) -> None:
    first = await place.put("c1", ">look", "-write")
    second = await place.put("c2", "xlook", ">write", title="Short report")
    assert (first.revision, second.revision) == (1, 2)
    assert second.id == first.id
    found = await place.service.find(USER, place.keys.session_id)
    assert found is not None
    assert (found.title, found.revision, found.status) == ("Short report", 2, "active")
    assert spelled(found) == ["xlook", ">write"]
    assert [item.id for item in found.items] == [item.id for item in first.items]
    assert [(kind, id_, content["revision"]) for kind, id_, content in place.heard.shown] == [
        ("callsheet.todo", first.id, 1),
        ("callsheet.todo", first.id, 2),
    ]
    assert place.heard.shown[-1][2]["items"][1] == {
        "id": str(first.items[1].id), "label": "write", "status": "running",
    }  # fmt: skip


async def test_a_call_that_is_made_again_changes_nothing_and_shows_the_list(place: Place) -> None:
    await place.put("c1", ">look", "-write")
    again = await place.put("c1", ">look", "-write")
    other = await place.put("c1", "xsomething else")  # what it was is known by its id
    assert (again.revision, other.revision) == (1, 1)
    assert spelled(other) == [">look", "-write"]
    assert len(place.heard.shown) == 3


async def test_the_same_list_from_another_call_is_no_change(place: Place) -> None:
    await place.put("c1", ">look", "-write")
    assert (await place.put("c2", ">look", "-write")).revision == 1


async def test_a_revision_that_is_stale_changes_nothing(place: Place) -> None:
    first = await place.put("c1", ">look", "-write")
    await place.put("c2", "xlook", ">write")
    async with place.database.transaction() as tx:
        assert not await save_list(tx, replace(first, revision=2, title="Stale"))
        assert not await save_list(tx, replace(first, id=new_id(), title="Another first one"))
    found = await place.stored()
    assert found is not None
    assert (found.title, spelled(found)) == ("Report", ["xlook", ">write"])


async def test_of_changes_at_the_same_time_each_is_judged_by_what_stands(place: Place) -> None:
    await place.put("c0", ">look", "-write")
    done = await asyncio.gather(
        *(place.put(f"c{n}", ">look", "-write", f"-print {n}") for n in range(1, 4)),
        return_exceptions=True,
    )
    failed = [each for each in done if isinstance(each, BaseException)]
    assert all(isinstance(each, ToolRetry) for each in failed)
    found = await place.stored()
    assert found is not None
    assert found.revision == 1 + len(done) - len(failed)
    assert len(found.items) == 3


async def test_a_run_that_is_over_changes_nothing(place: Place) -> None:
    await place.put("c1", ">look")
    await change(
        place.database, "UPDATE runs SET status = 'cancelled', finished_at = now() WHERE id = :id",
        id=place.keys.run_id,
    )  # fmt: skip
    with pytest.raises(ToolFailed, match="under way"):
        await place.put("c2", "xlook")
    assert (await place.stored() or pytest.fail("none")).revision == 1


async def test_another_users_list_is_not_there(place: Place) -> None:
    assert await place.service.find(USER, place.keys.session_id) is None
    await place.put("c1", ">look")
    with pytest.raises(NotFound):
        await place.service.find(OTHER, place.keys.session_id)
    with pytest.raises(NotFound):
        await place.service.find(USER, new_id())


async def test_the_database_keeps_to_one_running_step(place: Place) -> None:
    await place.put("c1", ">look", "-write")
    with pytest.raises(Exception, match="uq_session_todo_items_running"):
        await change(place.database, "UPDATE session_todo_items SET status = 'running'")


async def test_the_next_turn_is_told_of_an_open_list(place: Place) -> None:
    later = await say(place.database, place.keys.session_id, "Go on.")
    assert await place.told(later) == ""
    await place.put("c1", ">look", "-write")
    assert await place.told(later) == "Report\n[>] look\n[ ] write"
    # The turn that has opened it knows by its own calls, also where another process goes on.
    assert await place.told(place.message_id) == ""
    await place.put("c2", "xlook", ">write")
    await place.put("c3", "xlook", "xwrite")
    assert await place.told(later) == ""


async def test_a_message_that_is_asked_again_puts_away_the_lists_of_what_came_after(
    place: Place,
) -> None:
    later = await say(place.database, place.keys.session_id, "Later.")
    await place.put("c1", ">look", "-write")
    for asked, status, revision in ((later, "active", 1), (place.message_id, "archived", 2)):
        async with place.database.transaction() as tx:
            await take_again(tx, asked, "Asked again.", {})
            await put_away(tx, place.keys.session_id, asked)
        found = await place.stored()
        assert found is not None
        assert (found.status, found.revision) == (status, revision)


async def test_it_is_removed_a_day_after_its_session(place: Place) -> None:
    await place.put("c1", ">look", "-write")
    ticket = await gate(place.database).admit(run_wish(new_id()))
    other = Place(
        place.database,
        RunKeys(ticket.run_id, ticket.session_id, USER.user_id),
        ticket.message_id,
    )
    await other.put("c1", ">stay")
    async with place.database.transaction() as tx:
        assert await delete_session(tx, place.keys.session_id, USER.user_id)
    upkeep = Upkeep(place.database, place.clock, UpkeepOptions())
    await change(place.database, "UPDATE sessions SET deleted_at = :at WHERE deleted_at < now()",
                 at=place.clock.now() - timedelta(hours=23))  # fmt: skip
    await upkeep.sweep()
    assert await rows(place.database, "SELECT count(*) FROM session_todo_items") == [(3,)]
    place.clock.forward(2 * 3600)
    await upkeep.sweep()
    assert await rows(place.database, "SELECT label FROM session_todo_items") == [("stay",)]
    assert await rows(place.database, "SELECT count(*) FROM session_todo_lists") == [(1,)]
