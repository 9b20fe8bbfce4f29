"""Runs are their user's, listed newest first; a journal is read in order, in parts."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from uuid import UUID

import pytest
from sqlalchemy.exc import IntegrityError

from callsheet.db.driver import DriverConnection
from callsheet.db.options import DatabaseOptions
from callsheet.db.transaction import Database
from callsheet.events.call import LlmCallFinished
from callsheet.events.entry import Entry
from callsheet.events.run import RunFinished, RunStarted
from callsheet.events.stage import StageFinished, StageStarted
from callsheet.events.union import AnyRunEvent
from callsheet.events.usage import MeteredUsage, ModelUsage, Usage
from callsheet.kit.errors import BadInput
from callsheet.kit.ids import new_id
from callsheet.kit.json import encode
from callsheet.kit.pages import PageRequest, encode_cursor
from callsheet.runs.end import RunEnd
from callsheet.runs.event_store import read_events, read_events_of_each
from callsheet.runs.journal_store import append_events, end_runs, start_runs
from callsheet.runs.lease import Lease
from callsheet.runs.new_run import NewRun
from callsheet.runs.run import RunRecord
from callsheet.runs.store import (
    add_run,
    find_active,
    find_run,
    list_runs,
    run_by_id,
    runs_in_the_way,
)
from tests.sessions.rows import MINE, OTHER, change, new_session, rows, say

AT = datetime(2026, 5, 6, 7, 8, 9, 10, tzinfo=UTC)
USED = ModelUsage(
    factory="f",
    model="m",
    usage=Usage(input_tokens=10, output_tokens=2, cached_tokens=3),
    cost=Decimal("0.000016300000"),
    currency="USD",
)
EVENTS: tuple[AnyRunEvent, ...] = (
    RunStarted(workflow="chat", revision="r1", session_id="s", trace_id="t"),
    StageStarted(stage="intent"),
    LlmCallFinished(
        call_id="c",
        message_id="m",
        status="settled",
        metered=MeteredUsage(
            usage=Usage(input_tokens=1), source="provider", raw={"n": "1", "deep": [None, 1.5]}
        ),
        cost_native=Decimal("0.000000000001"),
        cost_exact=Decimal(0),
        latency_ms=3,
        first_token_at=AT,
    ),
    StageFinished(stage="intent", status="done", output="null"),
    RunFinished(usage=(USED,), message_id="m"),
)


async def new_run(
    database: Database, session_id: UUID, worker_id: str = "w1", created_at: datetime = AT
) -> UUID:
    """A queued run of MINE."""
    run = NewRun(
        id=new_id(),
        session_id=session_id,
        user_id=MINE.user_id,
        workflow="chat",
        raw_run_id="their-run",
        raw_thread_id="their-thread",
        parent_run_id=None,
        user_message_id=await say(database, session_id, "Hello"),
        protocol="1.0",
        worker_id=worker_id,
        trace_id="trace",
        input={},
    )
    async with database.transaction() as tx:
        await add_run(tx, run, encode({"state": {"a": "世界"}}).decode())
    await change(
        database, "UPDATE runs SET created_at = :at WHERE id = :id", at=created_at, id=run.id
    )
    return run.id


async def end(database_url: str, run_id: UUID, status: str = "succeeded") -> None:
    connection = DriverConnection(DatabaseOptions(database_url))
    async with connection.transaction() as tx:
        await start_runs(tx, [(run_id, "r1")])
        usage = encode([USED]).decode()
        await end_runs(tx, [RunEnd(run_id, status, usage, "code", "why")])  # type: ignore[arg-type]
    await connection.close()


async def found(database: Database, run_id: UUID) -> RunRecord:
    async with database.read() as tx:
        run = await find_run(tx, run_id, MINE.user_id)
    assert run is not None
    return run


async def all_pages(database: Database, session_id: UUID, limit: int) -> list[list[UUID]]:
    pages: list[list[UUID]] = []
    cursor: str | None = None
    while True:
        async with database.read() as tx:
            page = await list_runs(tx, session_id, MINE.user_id, PageRequest(limit, cursor))
        pages.append([run.id for run in page.items])
        if page.next_cursor is None:
            return pages
        cursor = page.next_cursor


async def test_a_run_is_queued_and_then_has_its_end(database: Database, database_url: str) -> None:
    run_id = await new_run(database, await new_session(database))
    queued = await found(database, run_id)
    assert (queued.status, queued.started_at, queued.finished_at, queued.usage) == (
        "queued", None, None, (),
    )  # fmt: skip
    assert (queued.raw_run_id, queued.raw_thread_id) == ("their-run", "their-thread")
    await end(database_url, run_id, "failed")
    ended = await found(database, run_id)
    assert (ended.status, ended.revision, ended.error_code, ended.error_message) == (
        "failed", "r1", "code", "why",
    )  # fmt: skip
    assert ended.usage == (USED,)
    assert ended.started_at is not None
    assert ended.finished_at is not None
    assert await rows(database, "SELECT input FROM runs") == [({"state": {"a": "世界"}},)]


async def test_an_end_is_final(database: Database, database_url: str) -> None:
    run_id = await new_run(database, await new_session(database))
    await end(database_url, run_id, "cancelled")
    await end(database_url, run_id, "succeeded")
    assert (await found(database, run_id)).status == "cancelled"


async def test_a_run_is_its_users_alone(database: Database) -> None:
    session_id = await new_session(database)
    await new_session(database, OTHER)
    run_id = await new_run(database, session_id)
    async with database.read() as tx:
        assert await find_run(tx, run_id, OTHER.user_id) is None
        assert await find_run(tx, new_id(), MINE.user_id) is None
        assert (await list_runs(tx, session_id, OTHER.user_id, PageRequest())).items == ()
        (other,) = await runs_in_the_way(tx, new_id(), run_id)
        assert (other.id, other.user_id, other.session_id) == (run_id, MINE.user_id, session_id)
        assert await runs_in_the_way(tx, new_id(), new_id()) == []
        assert await run_by_id(tx, run_id) == await find_run(tx, run_id, MINE.user_id)
        assert await run_by_id(tx, new_id()) is None


async def test_a_session_has_one_active_run(database: Database, database_url: str) -> None:
    session_id = await new_session(database)
    async with database.read() as tx:
        assert await find_active(tx, session_id) is None
    run_id = await new_run(database, session_id, "w7")
    async with database.read() as tx:
        assert await find_active(tx, session_id) == (run_id, Lease("w7", 0))
    with pytest.raises(IntegrityError, match="uq_runs_active_session"):
        await new_run(database, session_id)
    await end(database_url, run_id)
    async with database.read() as tx:
        assert await find_active(tx, session_id) is None


async def test_runs_are_listed_newest_first_each_once_also_at_the_same_moment(
    database: Database, database_url: str
) -> None:
    session_id = await new_session(database)
    ids: list[UUID] = []
    for minutes in (0, 0, 0, 1, -1):
        moment = AT + timedelta(minutes=minutes)
        ids.append(await new_run(database, session_id, created_at=moment))
        await end(database_url, ids[-1])
    expected = [ids[3], *sorted(ids[:3], reverse=True), ids[4]]
    assert await all_pages(database, session_id, 5) == [expected]
    assert await all_pages(database, session_id, 2) == [expected[:2], expected[2:4], expected[4:]]
    assert await all_pages(database, session_id, 1) == [[run_id] for run_id in expected]
    async with database.read() as tx:
        with pytest.raises(BadInput):
            await list_runs(tx, session_id, MINE.user_id, PageRequest(5, encode_cursor(1)))


async def test_a_journal_is_read_back_exactly_and_in_parts(
    database: Database, database_url: str
) -> None:
    run_id = await new_run(database, await new_session(database))
    entries = [Entry(seq, AT, event) for seq, event in enumerate(EVENTS, start=1)]
    connection = DriverConnection(DatabaseOptions(database_url))
    for _ in range(2):
        async with connection.statement() as tx:
            await append_events(tx, [(run_id, entry) for entry in reversed(entries)], {run_id: 0})
    async with connection.statement() as tx:
        await append_events(tx, [(run_id, Entry(1, AT, EVENTS[1]))], {run_id: 0})
    await connection.close()
    async with database.read() as tx:
        assert await read_events(tx, run_id, 0, 100) == tuple(entries)
        assert await read_events(tx, run_id, 0, 2) == tuple(entries[:2])
        assert await read_events(tx, run_id, 2, 2) == tuple(entries[2:4])
        assert await read_events(tx, run_id, 5, 10) == ()
        assert await read_events(tx, new_id(), 0, 10) == ()
        each = await read_events_of_each(tx, {run_id: 2, new_id(): 0}, 2)
        assert each == {run_id: tuple(entries[2:4])}
