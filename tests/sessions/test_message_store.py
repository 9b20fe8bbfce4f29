"""Messages keep their order and their number; deleted ones stay on the bill."""

from __future__ import annotations

import asyncio
from uuid import UUID

from sqlalchemy import text

from callsheet.db.transaction import Database
from callsheet.kit.ids import new_id
from callsheet.kit.pages import PageRequest
from callsheet.ledger.audit.audit import run_audit
from callsheet.sessions.message import MessageRecord
from callsheet.sessions.message_store import (
    add_user_message,
    delete_message,
    list_messages,
    stored_as,
    take_again,
)
from callsheet.sessions.said_before import ReadBefore
from tests.fixtures.booked import book_turns
from tests.sessions.rows import MOMENT, answer, change, new_session, rows, say

SHOWN = '{"visible": true, "status": "final"}'
said_before = ReadBefore()


async def listed(database: Database, session_id: UUID, limit: int = 50) -> list[list[str]]:
    """The contents of each page."""
    pages: list[list[str]] = []
    cursor: str | None = None
    while True:
        async with database.read() as tx:
            page = await list_messages(tx, session_id, PageRequest(limit, cursor))
        pages.append([message.content for message in page.items])
        if page.next_cursor is None:
            return pages
        cursor = page.next_cursor


async def delete(database: Database, session_id: UUID, message_id: UUID) -> bool:
    async with database.transaction() as tx:
        return await delete_message(tx, session_id, message_id)


async def test_messages_are_numbered_counted_and_read_whole(database: Database) -> None:
    session_id = await new_session(database)
    first = await say(database, session_id, "Grüße 世界", {"status": "final", "raw_id": "m1"})
    await say(database, session_id, "second")
    async with database.read() as tx:
        page = await list_messages(tx, session_id, PageRequest(10))
    message = page.items[0]
    assert message == MessageRecord(
        id=first,
        session_id=session_id,
        seq=1,
        role="user",
        content="Grüße 世界",
        model_code=None,
        tool_name=None,
        input_tokens=0,
        output_tokens=0,
        cost=message.cost,
        currency="USD",
        latency_ms=None,
        created_at=message.created_at,
        metadata={"status": "final", "raw_id": "m1"},
    )
    assert [item.seq for item in page.items] == [1, 2]
    assert await rows(database, "SELECT message_count FROM sessions") == [(2,)]


async def test_a_message_id_is_stored_once(database: Database) -> None:
    session_id = await new_session(database)
    message_id = await say(database, session_id, "first")
    async with database.transaction() as tx:
        assert not await add_user_message(tx, message_id, session_id, "again", "USD", {})
    assert await listed(database, session_id) == [["first"]]
    assert await rows(database, "SELECT message_count FROM sessions") == [(1,)]


async def test_a_message_is_found_by_its_id_or_its_clients_until_it_is_deleted(
    database: Database,
) -> None:
    session_id, other = await new_session(database), await new_session(database)
    message_id = await say(database, session_id, "x", {"raw_id": "m1"})

    async def found(session_id: UUID, message_id: UUID, raw_id: str) -> UUID | None:
        async with database.read() as tx:
            return await stored_as(tx, session_id, message_id, raw_id)

    assert await found(session_id, message_id, str(message_id)) == message_id
    assert await found(session_id, new_id(), "m1") == message_id
    assert await found(session_id, new_id(), "m2") is None
    assert await found(other, message_id, "m1") is None
    await delete(database, session_id, message_id)
    assert await found(session_id, message_id, "m1") is None


async def test_pages_follow_each_other_over_gaps(database: Database) -> None:
    session_id, other = await new_session(database), await new_session(database)
    ids = [await say(database, session_id, str(number)) for number in range(6)]
    await say(database, other, "not here")
    assert await delete(database, session_id, ids[1])
    assert await delete(database, session_id, ids[4])
    assert await listed(database, session_id) == [["0", "2", "3", "5"]]
    assert await listed(database, session_id, 3) == [["0", "2", "3"], ["5"]]
    assert await listed(database, session_id, 2) == [["0", "2"], ["3", "5"]]
    assert await listed(database, new_id()) == [[]]


async def test_a_number_is_never_given_again(database: Database) -> None:
    session_id = await new_session(database)
    await say(database, session_id, "first")
    last = await say(database, session_id, "second")
    await delete(database, session_id, last)
    await say(database, session_id, "third")
    assert await rows(database, "SELECT seq, content FROM messages ORDER BY seq") == [
        (1, "first"),
        (2, "second"),
        (3, "third"),
    ]


async def test_a_message_is_deleted_once_in_its_own_session(database: Database) -> None:
    session_id, other = await new_session(database), await new_session(database)
    message_id = await say(database, session_id, "x")
    assert not await delete(database, other, message_id)
    assert not await delete(database, session_id, new_id())
    assert await delete(database, session_id, message_id)
    assert not await delete(database, session_id, message_id)
    assert await rows(database, "SELECT message_count FROM sessions ORDER BY message_count") == [
        (0,),
        (0,),
    ]


async def test_a_deleted_message_stays_on_the_bill(database: Database) -> None:
    booked = await book_turns(database)
    before = await rows(database, "SELECT total_cost, total_tokens FROM sessions")
    assert await delete(database, booked.session_id, booked.message_id)
    assert await rows(database, "SELECT total_cost, total_tokens FROM sessions") == before
    for result in await run_audit(database):
        assert result.query.kind == "report" or result.rows == (), result.query.title


async def test_deleting_waits_for_the_journal_and_the_journal_not_for_it(
    database: Database,
) -> None:
    """The journal holds the session and then changes the message: no order to deadlock on."""
    session_id = await new_session(database)
    message_id = await say(database, session_id, "x")
    async with (
        asyncio.timeout(20),
        asyncio.TaskGroup() as group,
        database.transaction() as journal,
    ):
        await journal.execute(
            text("SELECT id FROM sessions WHERE id = :id FOR NO KEY UPDATE"), {"id": session_id}
        )
        deleting = group.create_task(delete(database, session_id, message_id))
        await waiting_for_a_lock(database)
        await journal.execute(
            text("UPDATE messages SET content = 'y' WHERE id = :id"), {"id": message_id}
        )
    assert deleting.result() is True


async def waiting_for_a_lock(database: Database) -> None:
    """Return once some other connection of this database waits for a row."""
    while (
        await rows(
            database,
            "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' "
            "AND datname = current_database()",
        )
    ) == [(0,)]:
        await asyncio.sleep(0.01)


async def test_a_message_that_is_asked_anew_takes_back_what_came_after_it(
    database: Database,
) -> None:
    session_id = await new_session(database)
    await say(database, session_id, "zero?")
    await answer(database, session_id, "Zero.", SHOWN)
    one = await say(database, session_id, "one?", {"status": "final"})
    await answer(database, session_id, "One.", SHOWN)
    gone = await say(database, session_id, "two?")
    await change(
        database, "UPDATE messages SET deleted_at = :at WHERE id = :id", at=MOMENT, id=gone
    )
    await change(database, "UPDATE sessions SET message_count = 4")
    async with database.transaction() as tx:
        await take_again(tx, one, "one?", {"status": "final"})
    assert await rows(
        database, "SELECT content, deleted_at = :at FROM messages ORDER BY seq", at=MOMENT
    ) == [("zero?", None), ("Zero.", None), ("one?", None), ("One.", False), ("two?", True)]
    assert await rows(database, "SELECT metadata FROM messages WHERE content = 'One.'") == [
        ({"visible": True, "status": "final"},)
    ]
    now = await say(database, session_id, "three?")
    async with database.read() as tx:
        assert (await said_before(tx, session_id, now, 100)).messages == (
            ("user", "zero?"),
            ("assistant", "Zero."),
            ("user", "one?"),
        )
    assert await rows(database, "SELECT message_count FROM sessions") == [(4,)]


async def test_an_edit_keeps_what_stood_there_before(database: Database) -> None:
    session_id = await new_session(database)
    one = await say(database, session_id, "first", {"status": "final"})
    marked = {"status": "final", "sanitized": True}
    for content, metadata, kept in (
        ("second", marked, {**marked, "earlier": ["first"]}),
        ("second", marked, {**marked, "earlier": ["first"]}),
        ("third", {"status": "final"}, {"status": "final", "earlier": ["first", "second"]}),
    ):
        async with database.transaction() as tx:
            await take_again(tx, one, content, metadata)
        assert await rows(database, "SELECT content, metadata FROM messages") == [(content, kept)]
