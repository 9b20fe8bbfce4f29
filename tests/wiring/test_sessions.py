"""Sessions and messages as their user keeps them; another's are not there."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from uuid import UUID

import pytest

from callsheet.auth.principal import Principal
from callsheet.db.transaction import Database
from callsheet.kit.errors import Conflict, NotFound
from callsheet.kit.ids import new_id
from callsheet.kit.pages import PageRequest
from callsheet.runs.run import RunRecord
from callsheet.sessions.settings import SessionChange
from callsheet.wiring.application import Application
from callsheet.wiring.sessions import SessionService
from tests.fakes.chat import ScriptedChat
from tests.ledger.bookings import assert_sound
from tests.sessions.rows import rows
from tests.wiring.stage import (
    OTHER,
    USER,
    all_of,
    application,
    begin,
    hanging,
    settings_of,
    until_text,
)


@pytest.fixture
async def app(tmp_path: Path, database_url: str) -> AsyncIterator[Application]:
    async with application(settings_of(tmp_path, database_url), drain_s=0.1) as running:
        await running.ready()
        yield running


async def test_a_session_is_made_once_and_named_once(app: Application) -> None:
    made = await app.sessions.create(USER, None, "Sums")
    assert (made.title, made.status, made.message_count) == ("Sums", "pending", 0)
    again = await app.sessions.create(USER, made.id, "Other")
    assert (again.id, again.title) == (made.id, "Sums")
    renamed = await app.sessions.change(USER, made.id, SessionChange(title="Products"))
    assert renamed.title == "Products"
    assert await app.sessions.recent(USER) == renamed


async def test_a_sessions_own_title_stays_when_the_first_message_comes(app: Application) -> None:
    made = await app.sessions.create(USER, None, "Sums")
    run = await begin(app, "What is 17*23?", made.id)
    await all_of(run.entries)
    assert (await app.sessions.get(USER, made.id)).title == "Sums"


async def test_another_users_session_is_not_there(app: Application) -> None:
    made = await app.sessions.create(USER, None, None)
    for ask in (
        app.sessions.create(OTHER, made.id, None),
        app.sessions.get(OTHER, made.id),
        app.sessions.change(OTHER, made.id, SessionChange(title="stolen", pinned=True)),
        app.sessions.delete(OTHER, made.id),
        app.sessions.messages(OTHER, made.id, PageRequest()),
        app.sessions.delete_message(OTHER, made.id, new_id()),
        app.sessions.get(USER, new_id()),
    ):
        with pytest.raises(NotFound):
            await ask
    assert await app.sessions.recent(OTHER) is None
    assert (await app.sessions.get(USER, made.id)).title is None


async def test_a_message_is_deleted_for_its_user_and_stays_on_the_bill(
    app: Application, database: Database
) -> None:
    run = await begin(app, "Hello")
    await all_of(run.entries)
    before = await app.sessions.get(USER, run.session_id)
    page = await app.sessions.messages(USER, run.session_id, PageRequest())
    assert [message.role for message in page.items] == ["user"] + ["assistant"] * 3
    await app.sessions.delete_message(USER, run.session_id, page.items[-1].id)
    with pytest.raises(NotFound):
        await app.sessions.delete_message(USER, run.session_id, page.items[-1].id)
    after = await app.sessions.get(USER, run.session_id)
    assert (after.message_count, after.total_tokens, after.total_cost) == (
        before.message_count - 1,
        before.total_tokens,
        before.total_cost,
    )
    assert before.total_cost > 0
    await assert_sound(database)


async def test_deleting_a_session_stops_what_runs_in_it(
    tmp_path: Path, database: Database, database_url: str
) -> None:
    chat = ScriptedChat(choose=hanging)
    async with application(settings_of(tmp_path, database_url), chat) as app:
        await app.ready()
        run = await begin(app, "Take your time")
        await until_text(run.entries, "Half the ")
        await app.sessions.delete(USER, run.session_id)
        assert chat.open == 0
        assert (await app.runs.get(USER, run.run_id)).status == "cancelled"
        with pytest.raises(NotFound):
            await app.sessions.get(USER, run.session_id)
        with pytest.raises(NotFound):
            await begin(app, "Again", run.session_id)
    await assert_sound(database)


class WithLateComers:
    """Stops runs like the real one; then, some times, another run gets in."""

    def __init__(self, app: Application, late: int) -> None:
        self._app = app
        self._late = late

    async def cancel_session(self, principal: Principal, session_id: UUID) -> RunRecord | None:
        stopped = await self._app.runs.cancel_session(principal, session_id)
        if self._late:
            self._late -= 1
            await begin(self._app, "Me too", session_id)
        return stopped


async def test_a_run_that_gets_in_while_its_session_is_deleted_is_stopped_too(
    tmp_path: Path, database: Database, database_url: str
) -> None:
    chat = ScriptedChat(choose=hanging)
    async with application(settings_of(tmp_path, database_url), chat) as app:
        await app.ready()
        made = await app.sessions.create(USER, None, None)
        late = SessionService(app.core, WithLateComers(app, 1))  # type: ignore[arg-type]
        await late.delete(USER, made.id)
        with pytest.raises(NotFound):
            await app.sessions.get(USER, made.id)
        other = await app.sessions.create(USER, None, None)
        later = SessionService(app.core, WithLateComers(app, 100))  # type: ignore[arg-type]
        with pytest.raises(Conflict):
            await later.delete(USER, other.id)
        await app.sessions.delete(USER, other.id)
        assert chat.open == 0
    assert await rows(database, "SELECT count(*) FROM messages WHERE deleted_at IS NULL") == [(0,)]
    await assert_sound(database)
