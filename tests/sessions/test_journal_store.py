"""Messages as a run writes them: in order, repeatable, many sessions at once."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from callsheet.db.driver import DriverConnection
from callsheet.db.options import DatabaseOptions
from callsheet.db.transaction import Database
from callsheet.kit.ids import new_id
from callsheet.kit.json import decode
from callsheet.sessions.journal_store import (
    SEQS,
    add_messages,
    finish_messages,
    lock_sessions,
    set_statuses,
)
from callsheet.sessions.new_message import FinishedMessage, NewMessage
from tests.sessions.rows import MOMENT, new_session, rows, say


@pytest.fixture
async def driver(database_url: str) -> AsyncIterator[DriverConnection]:
    connection = DriverConnection(DatabaseOptions(database_url))
    yield connection
    await connection.close()


async def write(driver: DriverConnection, messages: list[NewMessage]) -> dict[str, int]:
    async with driver.joined() as tx:
        await lock_sessions(tx, {message.session_id for message in messages})
        await add_messages(tx, messages, "USD")
        tx.give(SEQS, [message.id for message in messages])
        seqs = await tx.run()
    return {} if seqs is None else decode(seqs)


async def test_messages_go_on_from_the_last_number_in_the_order_given(
    database: Database, driver: DriverConnection
) -> None:
    first, second = await new_session(database), await new_session(database)
    await say(database, first, "question")
    given = [
        NewMessage(str(new_id()), session_id, "assistant", content, model_code="m")
        for session_id, content in [(first, "a"), (second, "b"), (first, "c"), (second, "d")]
    ]
    seqs = await write(driver, given)
    assert [seqs[message.id] for message in given] == [2, 1, 3, 2]
    assert await rows(
        database,
        "SELECT seq, content FROM messages WHERE session_id = :id ORDER BY seq",
        id=first,
    ) == [(1, "question"), (2, "a"), (3, "c")]
    assert await rows(
        database,
        "SELECT id, message_count, last_activity_at > :at FROM sessions ORDER BY 2 DESC",
        at=MOMENT,
    ) == [(first, 3, True), (second, 2, True)]


async def test_a_write_that_is_repeated_changes_nothing(
    database: Database, driver: DriverConnection
) -> None:
    session_id = await new_session(database)
    tool = NewMessage(
        id=str(new_id()),
        session_id=session_id,
        role="tool",
        content="391",
        tool_name="calculator",
        latency_ms=3,
        metadata={"tool": {"name": "calculator"}, "said": "世界"},
    )
    once = await write(driver, [tool])
    later = NewMessage(str(new_id()), session_id, "assistant", "new")
    assert await write(driver, [tool, later]) == {**once, later.id: 2}
    assert await rows(
        database,
        "SELECT seq, role, content, tool_name, latency_ms, currency, metadata FROM messages "
        "ORDER BY seq LIMIT 1",
    ) == [(1, "tool", "391", "calculator", 3, "USD", tool.metadata)]
    assert await rows(database, "SELECT message_count FROM sessions") == [(2,)]


async def test_nothing_to_write_is_fine(database: Database, driver: DriverConnection) -> None:
    assert await write(driver, []) == {}


async def test_a_streaming_message_gets_its_text_and_more_metadata(
    database: Database, driver: DriverConnection
) -> None:
    session_id = await new_session(database)
    message = NewMessage(
        str(new_id()), session_id, "assistant", "", metadata={"status": "streaming", "stage": "s"}
    )
    other = NewMessage(str(new_id()), session_id, "assistant", "", metadata={"status": "streaming"})
    await write(driver, [message, other])
    async with driver.transaction() as tx:
        await finish_messages(tx, [FinishedMessage(message.id, "Done.", {"status": "final"})])
    assert await rows(database, "SELECT content, metadata FROM messages ORDER BY seq") == [
        ("Done.", {"status": "final", "stage": "s"}),
        ("", {"status": "streaming"}),
    ]


async def test_sessions_get_the_status_of_their_last_run(
    database: Database, driver: DriverConnection
) -> None:
    first, second, third = [await new_session(database) for _ in range(3)]
    async with driver.transaction() as tx:
        await set_statuses(tx, [(first, "running"), (second, "failed")])
    assert await rows(database, "SELECT id, status FROM sessions ORDER BY id") == sorted(
        [(first, "running"), (second, "failed"), (third, "pending")]
    )


async def test_the_last_of_two_statuses_of_one_session_holds(
    database: Database, driver: DriverConnection
) -> None:
    """A short run begins and ends in one batch."""
    session_id = await new_session(database)
    async with driver.transaction() as tx:
        await set_statuses(tx, [(session_id, "running"), (session_id, "completed")])
    assert await rows(database, "SELECT status FROM sessions") == [("completed",)]


async def test_what_becomes_of_a_message_twice_in_one_write_is_added_up(
    database: Database, driver: DriverConnection
) -> None:
    """An answer ends, and is then made the visible one."""
    session_id = await new_session(database)
    message = NewMessage(str(new_id()), session_id, "assistant", "", metadata={"visible": False})
    await write(driver, [message])
    async with driver.transaction() as tx:
        await finish_messages(
            tx,
            [
                FinishedMessage(message.id, "Do", {"status": "partial", "reasoning": "r"}),
                FinishedMessage(message.id, "Done.", {"status": "final", "visible": True}),
            ],
        )
    assert await rows(database, "SELECT content, metadata FROM messages") == [
        ("Done.", {"status": "final", "visible": True, "reasoning": "r"})
    ]
