"""Sessions belong to their user, are listed by activity, and keep what was spent."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from uuid import UUID

import pytest

from callsheet.auth.principal import Principal
from callsheet.db.transaction import Database
from callsheet.kit.errors import BadInput
from callsheet.kit.ids import new_id
from callsheet.kit.pages import PageRequest, encode_cursor
from callsheet.ledger.audit.audit import run_audit
from callsheet.sessions.session import SessionRecord
from callsheet.sessions.settings import SessionChange, SessionSettings
from callsheet.sessions.settings_store import change_session, settings_of
from callsheet.sessions.store import (
    Claimed,
    claim_session,
    delete_session,
    find_session,
    list_sessions,
    recent_session,
    set_title,
)
from tests.fixtures.booked import book_turns
from tests.sessions.rows import MINE, MOMENT, OTHER, answer, change, new_session, rows, say

EVERYTHING = SessionChange("all", pinned=True, mode="plan", persona="Rhyme.", budget=Decimal("0.5"))


async def claim(database: Database, session_id: UUID, user: Principal) -> Claimed | None:
    async with database.transaction() as tx:
        return await claim_session(tx, session_id, user.user_id)


async def find(database: Database, session_id: UUID, user: Principal) -> SessionRecord | None:
    async with database.read() as tx:
        return await find_session(tx, session_id, user.user_id)


async def all_pages(database: Database, user: Principal, limit: int) -> list[list[UUID]]:
    """The ids of each page, read by following the cursors."""
    pages: list[list[UUID]] = []
    cursor: str | None = None
    while True:
        async with database.read() as tx:
            page = await list_sessions(tx, user.user_id, PageRequest(limit, cursor))
        pages.append([item.id for item in page.items])
        if page.next_cursor is None:
            return pages
        cursor = page.next_cursor


async def test_a_new_session_is_empty_and_pending(database: Database) -> None:
    session_id = await new_session(database)
    found = await find(database, session_id, MINE)
    assert found is not None
    assert found == SessionRecord(
        id=session_id,
        user_id=MINE.user_id,
        title=None,
        status="pending",
        last_activity_at=MOMENT,
        message_count=0,
        total_tokens=0,
        total_cost=Decimal(0),
        created_at=found.created_at,
        updated_at=found.updated_at,
    )


async def test_a_session_is_claimed_once_and_by_one_user(database: Database) -> None:
    session_id = await new_session(database)
    await new_session(database, OTHER)
    async with database.transaction() as tx:
        await set_title(tx, session_id, "Sums")
    assert await claim(database, session_id, MINE) == Claimed("Sums", 0, Decimal(0))
    assert await claim(database, session_id, OTHER) is None
    assert await find(database, session_id, OTHER) is None


async def test_a_deleted_session_is_nobodys(database: Database) -> None:
    session_id = await new_session(database)
    async with database.transaction() as tx:
        assert await delete_session(tx, session_id, MINE.user_id)
    async with database.transaction() as tx:
        assert not await delete_session(tx, session_id, MINE.user_id)
        await change_session(tx, session_id, MINE.user_id, EVERYTHING)
    assert await rows(database, "SELECT title FROM sessions") == [(None,)]
    assert await rows(database, "SELECT count(*) FROM session_settings") == [(0,)]
    assert await claim(database, session_id, MINE) is None
    assert await find(database, session_id, MINE) is None
    assert await all_pages(database, MINE, 10) == [[]]


async def test_what_was_set_for_a_session_goes_with_it(database: Database) -> None:
    session_id = await new_session(database)
    async with database.transaction() as tx:
        await change_session(tx, session_id, MINE.user_id, EVERYTHING)
        await delete_session(tx, session_id, MINE.user_id)
    assert await rows(database, "SELECT count(*) FROM session_settings") == [(0,)]


async def test_only_its_user_changes_or_deletes_a_session(database: Database) -> None:
    session_id = await new_session(database)
    async with database.transaction() as tx:
        await change_session(tx, session_id, OTHER.user_id, EVERYTHING)
        await change_session(tx, new_id(), MINE.user_id, EVERYTHING)
        assert not await delete_session(tx, session_id, OTHER.user_id)
    assert await rows(database, "SELECT count(*) FROM session_settings") == [(0,)]
    async with database.transaction() as tx:
        await change_session(tx, session_id, MINE.user_id, SessionChange(title="mine"))
    assert await rows(database, "SELECT count(*) FROM session_settings") == [(0,)]
    found = await find(database, session_id, MINE)
    assert found is not None
    assert found.title == "mine"
    assert found.updated_at > found.created_at


async def test_what_is_set_stays_until_it_is_changed_or_taken_away(database: Database) -> None:
    session_id = await new_session(database)

    async def change_to(change: SessionChange) -> tuple[object, ...]:
        async with database.transaction() as tx:
            await change_session(tx, session_id, MINE.user_id, change)
            settings = await settings_of(tx, session_id)
        found = await find(database, session_id, MINE)
        assert found is not None
        assert settings == SessionSettings(found.mode, found.persona, found.budget)
        return found.title, found.pinned_at, found.mode, found.persona, found.budget

    assert await change_to(SessionChange()) == (None, None, "full", None, None)
    title, pinned_at, *rest = await change_to(EVERYTHING)
    assert (title, *rest) == ("all", "plan", "Rhyme.", Decimal("0.5"))
    assert pinned_at is not None
    assert await change_to(SessionChange(pinned=True, title="new")) == ("new", pinned_at, *rest)
    assert await change_to(SessionChange(mode=None)) == (
        "new", pinned_at, "full", "Rhyme.", Decimal("0.5"),
    )  # fmt: skip
    nothing = SessionChange(title=None, pinned=None, persona=None, budget=None)
    assert await change_to(nothing) == (None, None, "full", None, None)


async def test_pinned_sessions_come_first_on_every_page_and_do_not_count_as_recent(
    database: Database,
) -> None:
    ids = [
        await new_session(database, active_at=MOMENT + timedelta(hours=hour)) for hour in range(6)
    ]
    async with database.transaction() as tx:
        for pinned in (ids[1], ids[3]):
            await change_session(tx, pinned, MINE.user_id, SessionChange(pinned=True))
        await change_session(tx, ids[2], MINE.user_id, SessionChange(pinned=False))
        recent = await recent_session(tx, MINE.user_id)
        assert recent is not None
        assert recent.id == ids[5]
        assert await recent_session(tx, OTHER.user_id) is None
    expected = [ids[number] for number in (3, 1, 5, 4, 2, 0)]
    for limit in (1, 2, 3, 4, 100):
        pages = await all_pages(database, MINE, limit)
        assert [session_id for page in pages for session_id in page] == expected
        assert all(len(page) <= limit for page in pages)


async def test_sessions_are_found_by_their_title_and_by_what_was_said(database: Database) -> None:
    titled, said, answered = [await new_session(database) for _ in range(3)]
    await new_session(database)
    foreign = await new_session(database, OTHER)
    await change(database, "UPDATE sessions SET title = 'Ferry to 100% Oslo_1' WHERE id = :id",
                 id=titled)  # fmt: skip
    await say(database, said, "When does the FERRY leave?")
    await say(database, foreign, "My ferry is a secret")
    await say(database, answered, "And back?")
    await answer(database, answered, "The last ferry at 9.",
                 '{"visible": true, "status": "final"}')  # fmt: skip
    inner = await answer(database, answered, "inner thought", '{"status": "final"}')

    async def found(words: str) -> set[UUID]:
        async with database.read() as tx:
            page = await list_sessions(tx, MINE.user_id, PageRequest(), words)
        return {item.id for item in page.items}

    assert await found("ferry") == {titled, said, answered}
    assert await found("100% oslo_") == {titled}
    assert await found("ferry%leave") == await found("ferry_leave") == await found("\\") == set()
    assert await found("thought") == await found("secret") == set()
    await change(database, "UPDATE messages SET deleted_at = now() WHERE id <> :id", id=inner)
    assert await found("ferry") == {titled}


async def test_sessions_are_listed_by_activity_each_once_also_at_the_same_moment(
    database: Database,
) -> None:
    ids = [await new_session(database) for _ in range(5)]
    newest = await new_session(database, active_at=MOMENT + timedelta(microseconds=1))
    oldest = await new_session(database, active_at=MOMENT - timedelta(days=400))
    await new_session(database, OTHER)
    expected = [newest, *sorted(ids, reverse=True), oldest]
    assert await all_pages(database, MINE, 100) == [expected]
    assert await all_pages(database, MINE, 7) == [expected]
    assert await all_pages(database, MINE, 2) == [expected[i : i + 2] for i in (0, 2, 4, 6)]
    assert await all_pages(database, MINE, 1) == [[session_id] for session_id in expected]


async def test_a_cursor_that_no_list_gave_is_refused(database: Database) -> None:
    async with database.read() as tx:
        with pytest.raises(BadInput):
            await list_sessions(tx, MINE.user_id, PageRequest(10, encode_cursor(7)))


async def test_a_message_moves_its_session_to_the_top(database: Database) -> None:
    first, second = await new_session(database), await new_session(database)
    low, high = sorted((first, second))
    assert await all_pages(database, MINE, 10) == [[high, low]]
    await say(database, low, "Hello")
    assert await all_pages(database, MINE, 10) == [[low, high]]


async def test_a_deleted_session_keeps_what_was_spent(database: Database) -> None:
    booked = await book_turns(database, turns=2)
    ((user_id, cost, tokens),) = await rows(
        database, "SELECT user_id, total_cost, total_tokens FROM sessions"
    )
    async with database.transaction() as tx:
        assert await delete_session(tx, booked.session_id, user_id)
    assert await rows(database, "SELECT total_cost, total_tokens, message_count FROM sessions") == [
        (cost, tokens, 0)
    ]
    assert cost > 0
    assert await rows(database, "SELECT count(*) FROM messages WHERE deleted_at IS NULL") == [(0,)]
    assert await rows(database, "SELECT count(*) FROM llm_calls") == [(2,)]
    for result in await run_audit(database):
        assert result.query.kind == "report" or result.rows == (), result.query.title


async def test_an_earlier_deletion_of_a_message_keeps_its_moment(database: Database) -> None:
    session_id = await new_session(database)
    gone = await say(database, session_id, "first")
    await say(database, session_id, "second")
    await change(
        database, "UPDATE messages SET deleted_at = :at WHERE id = :id", at=MOMENT, id=gone
    )
    async with database.transaction() as tx:
        await delete_session(tx, session_id, MINE.user_id)
    moments = await rows(database, "SELECT deleted_at = :at FROM messages ORDER BY seq", at=MOMENT)
    assert moments == [(True,), (False,)]
