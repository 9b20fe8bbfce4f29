"""What was said before a message, and what is read along with it."""

from __future__ import annotations

from callsheet.db.transaction import Database
from callsheet.sessions.said_before import ReadBefore
from tests.sessions.rows import answer, new_session, say
from tests.sessions.test_message_store import SHOWN, delete, said_before


async def test_what_was_said_before_is_what_was_shown_oldest_first(database: Database) -> None:
    session_id = await new_session(database)
    await say(database, session_id, "one?")
    await answer(database, session_id, "thinking", '{"visible": false, "status": "final"}')
    await answer(database, session_id, "One.", SHOWN)
    deleted = await say(database, session_id, "deleted")
    await delete(database, session_id, deleted)
    await say(database, session_id, "two?")
    await answer(database, session_id, "", SHOWN)
    await answer(database, session_id, "Half a tw", '{"visible": true, "status": "partial"}')
    await answer(database, session_id, "thrown away", '{"visible": true, "status": "discarded"}')
    await answer(database, session_id, "still", '{"visible": true, "status": "streaming"}')
    now = await say(database, session_id, "three?")
    await say(database, session_id, "later")
    async with database.read() as tx:
        everything = await said_before(tx, session_id, now, 100)
        last = await said_before(tx, session_id, now, 2)
    assert everything.messages == (
        ("user", "one?"),
        ("assistant", "One."),
        ("user", "two?"),
        ("assistant", "Half a tw"),
    )
    assert everything.beside is None
    assert last.messages == everything.messages[-2:]


async def test_something_else_is_read_along_with_what_was_said(database: Database) -> None:
    session_id = await new_session(database)
    await say(database, session_id, "one?")
    now = await say(database, session_id, "two?")
    read = ReadBefore("SELECT id::text FROM sessions WHERE id = :session_id")
    async with database.read() as tx:
        found = await read(tx, session_id, now, 100)
    assert (found.messages, found.beside) == ((("user", "one?"),), str(session_id))
