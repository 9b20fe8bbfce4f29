"""The journal's writer against a real Postgres: stored first, exact, repeatable."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from decimal import Decimal
from uuid import UUID

from asyncpg import PostgresError
from sqlalchemy import text

from callsheet.db.driver import DriverConnection
from callsheet.db.options import DatabaseOptions
from callsheet.db.transaction import Database
from callsheet.events.call import AnswerFinished
from callsheet.events.entry import Entry
from callsheet.events.run import RunFinished, RunStarted
from callsheet.events.text import TextDelta, TextEnded, TextStarted
from callsheet.events.tool import ToolCallEnded, ToolCallStarted, ToolResult
from callsheet.events.usage import MeteredUsage, Usage
from callsheet.journal.budgets import Budgets, NoBudgets
from callsheet.journal.changes import Changes, RunKeys
from callsheet.journal.options import JournalOptions
from callsheet.journal.postgres import PostgresJournal
from callsheet.journal.spool import Spool
from callsheet.journal.writer import JournalStore, JournalWriter
from callsheet.journal.written import Written
from callsheet.kit.clock import SystemClock
from callsheet.kit.errors import Unavailable
from callsheet.kit.ids import new_id
from callsheet.ledger.audit.audit import run_audit
from callsheet.ledger.price.book import PriceBook
from callsheet.ledger.price.store import load_prices
from callsheet.runs.event_store import read_events
from callsheet.turn.meter import CallEnd
from callsheet.turn.recorder import Recorder
from callsheet.turn.run_meter import RunMeter
from tests.fakes.spool import NoSpool
from tests.journal.intents import intent_for
from tests.journal.stage import USER, Admitted, admitted, gate, wish

Shown = list[tuple[UUID, tuple[Entry, ...]]]
BEGIN = RunStarted(workflow="chat", revision="r1", session_id="s", trace_id="t")


class FlakyStore:
    """Fails a number of times before, or after, it has written, or after it was refused."""

    def __init__(self, store: JournalStore, *, before: int = 0, after: int = 0) -> None:
        self._store = store
        self.before = before
        self.after = after
        self.after_refusal = 0

    async def write(self, entries: list[tuple[UUID, Entry]], changes: Changes) -> Written:
        if self.before:
            self.before -= 1
            raise Unavailable("gone")
        try:
            written = await self._store.write(entries, changes)
        except PostgresError:
            self.before = self.after_refusal
            raise
        if self.after:
            self.after -= 1
            raise Unavailable("gone after the commit")
        return written


@asynccontextmanager
async def writing(
    database_url: str,
    shown: Shown,
    *,
    before: int = 0,
    after: int = 0,
    retry_for_s: float = 20.0,
    spool: Spool | None = None,
    stores: list[FlakyStore] | None = None,
    budgets: Budgets | None = None,
) -> AsyncIterator[JournalWriter]:
    connection = DriverConnection(DatabaseOptions(database_url))
    journal = PostgresJournal(connection, "USD", budgets or NoBudgets())
    store = FlakyStore(journal, before=before, after=after)
    if stores is not None:
        stores.append(store)
    writer = JournalWriter(
        [store],
        lambda run_id, entries: shown.append((run_id, entries)),
        SystemClock(),
        JournalOptions(retry_for_s=retry_for_s, retry_first_s=0.01),
        spool or NoSpool(),
    )
    async with asyncio.TaskGroup() as group:
        group.create_task(writer.run())
        yield writer
        writer.close()
    await connection.close()


async def turn(
    writer: JournalWriter, database: Database, run: Admitted, *, calls: int = 1
) -> RunMeter:
    """A small turn: calls that answer, one of them with a tool in between."""
    async with database.read() as tx:
        prices = PriceBook(await load_prices(tx))
    log = writer.open(run.keys)
    recorder = Recorder(log)
    meter = RunMeter(prices, log, recorder.emit, SystemClock())
    recorder.emit(BEGIN)
    for number in range(calls):
        message_id = str(new_id())
        intent = intent_for(message_id, 10)
        call = await meter.open(intent)
        recorder.emit(TextStarted(message_id=message_id, agent_run_id="a", visible=True))
        for piece in ("Hel", "lo ", "世界"):
            recorder.emit(TextDelta(message_id=message_id, text=piece))
        usage = Usage(input_tokens=100 + number, output_tokens=20, cached_tokens=30)
        metered = MeteredUsage(usage=usage, source="provider", raw={"n": 1})
        bill = call.close(CallEnd(status="settled", metered=metered))
        recorder.emit(TextEnded(message_id=message_id, bill=bill))
        recorder.emit(AnswerFinished(message_id=message_id, status="final", text="Hello 世界"))
        tool_id = f"c{number}"
        recorder.emit(
            ToolCallStarted(
                tool_call_id=tool_id,
                tool="x",
                message_id=message_id,
                agent_run_id="a",
                visible=True,
            )
        )
        recorder.emit(ToolCallEnded(tool_call_id=tool_id))
        recorder.emit(
            ToolResult(
                tool_call_id=tool_id,
                message_id=str(new_id()),
                tool="x",
                agent_run_id="a",
                stage="execution",
                agent="worker",
                content="ok",
                status="ok",
                args_digest="d",
                latency_ms=3,
                visible=True,
            )
        )
    recorder.emit(RunFinished(usage=meter.usage()))
    await recorder.stored()
    return meter


async def assert_audited(database: Database) -> None:
    for result in await run_audit(database):
        if result.query.kind == "differences":
            assert result.rows == (), result.query.title


async def rows(database: Database, query: str) -> list[tuple[object, ...]]:
    async with database.read() as tx:
        return [tuple(row) for row in (await tx.execute(text(query))).all()]


async def test_a_turn_leaves_journal_messages_ledger_and_totals(
    database: Database, database_url: str
) -> None:
    run = await admitted(database)
    shown: Shown = []
    async with writing(database_url, shown) as writer:
        await turn(writer, database, run, calls=2)
    async with database.read() as tx:
        stored = await read_events(tx, run.keys.run_id, 0, 1000)
    assert [entry.seq for entry in stored] == list(range(1, len(stored) + 1))
    assert [entry for _, entries in shown for entry in entries] == list(stored)
    assert await rows(database, "SELECT seq, role, content FROM messages ORDER BY seq") == [
        (1, "user", "Hello"),
        (2, "assistant", "Hello 世界"),
        (3, "tool", "ok"),
        (4, "assistant", "Hello 世界"),
        (5, "tool", "ok"),
    ]
    (session,) = await rows(
        database, "SELECT status, message_count, total_tokens, total_cost, title FROM sessions"
    )
    # 70 x 1 + 30 x 0.1 + 20 x 3 = 133 and 134 millionths
    assert session == ("completed", 5, 241, Decimal("0.000267"), "Hello")
    assert await rows(database, "SELECT status, revision FROM runs") == [("succeeded", "r1")]
    await assert_audited(database)


async def test_deltas_that_wait_together_become_one_event(
    database: Database, database_url: str
) -> None:
    run = await admitted(database)
    shown: Shown = []
    async with writing(database_url, shown) as writer:
        await turn(writer, database, run)
    texts = [e.event.text for _, es in shown for e in es if isinstance(e.event, TextDelta)]
    assert "".join(texts) == "Hello 世界"
    assert len(texts) == 1


async def admitted_again(database: Database) -> Admitted:
    """A further run; the price is there already."""
    ticket = await gate(database).admit(wish(new_id()))
    return Admitted(
        RunKeys(ticket.run_id, ticket.session_id, USER.user_id), ticket.message_id, new_id()
    )


async def test_many_runs_at_once_stay_exact(database: Database, database_url: str) -> None:
    first = await admitted(database)
    runs = [first] + [await admitted_again(database) for _ in range(9)]
    shown: Shown = []
    async with writing(database_url, shown) as writer, asyncio.TaskGroup() as group:
        for run in runs:
            group.create_task(turn(writer, database, run, calls=3))
    await assert_audited(database)
    (total,) = await rows(database, "SELECT sum(total_tokens), count(*) FROM sessions")
    assert total == (10 * 363, 10)
