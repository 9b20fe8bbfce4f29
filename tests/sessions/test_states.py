"""What sessions and messages may become, pair by pair, as the database keeps it."""

from __future__ import annotations

import typing
from itertools import product

import pytest

from callsheet.db.driver import DriverConnection
from callsheet.db.options import DatabaseOptions
from callsheet.db.tables.agent_chat_session import SESSION_STATUSES
from callsheet.db.transaction import Database
from callsheet.kit.ids import new_id
from callsheet.sessions.journal_store import add_messages, finish_messages, set_statuses
from callsheet.sessions.message import MessageStatus
from callsheet.sessions.new_message import FinishedMessage, NewMessage
from callsheet.sessions.session import SessionStatus
from callsheet.sessions.states import MESSAGE, SESSION
from tests.sessions.rows import answer, change, new_session, rows, say


def test_the_tables_have_the_states_of_the_records() -> None:
    assert SESSION.states == SESSION_STATUSES == typing.get_args(SessionStatus)
    assert MESSAGE.states == typing.get_args(MessageStatus)


@pytest.mark.parametrize("way", ["alone", "with a message"])
@pytest.mark.parametrize(("before", "after"), [*product(SESSION.states, SESSION.states)])
async def test_a_session_changes_as_its_table_says(
    database: Database, database_url: str, before: SessionStatus, after: SessionStatus, way: str
) -> None:
    session_id = await new_session(database)
    await change(database, "UPDATE sessions SET status = CAST(:status AS session_status)",
                 status=before)  # fmt: skip
    driver = DriverConnection(DatabaseOptions(database_url))
    async with driver.transaction() as tx:
        if way == "alone":
            await set_statuses(tx, [(session_id, after)])
        else:
            said = NewMessage(str(new_id()), session_id, "assistant", "")
            await add_messages(tx, [said], "USD", [(session_id, after)])
    await driver.close()
    expected = after if SESSION.allows(before, after) else before
    counted = 0 if way == "alone" else 1
    found = await rows(database, "SELECT status, message_count FROM sessions")
    assert found == [(expected, counted)]


@pytest.mark.parametrize(("before", "after"), [*product(MESSAGE.states, MESSAGE.states)])
async def test_a_message_changes_as_its_table_says(
    database: Database, database_url: str, before: MessageStatus, after: MessageStatus
) -> None:
    session_id = await new_session(database)
    await say(database, session_id, "Hello")
    message_id = await answer(database, session_id, "as it was", f'{{"status": "{before}"}}')
    finished = FinishedMessage(str(message_id), "new", {"status": after, "more": 1})
    driver = DriverConnection(DatabaseOptions(database_url))
    async with driver.transaction() as tx:
        await finish_messages(tx, [finished])
    await driver.close()
    kept = await rows(
        database, "SELECT content, metadata FROM messages WHERE id = :id", id=message_id
    )
    if before == after or MESSAGE.allows(before, after):
        assert kept == [("new", {"status": after, "more": 1})]
    else:
        assert kept == [("as it was", {"status": before})]
