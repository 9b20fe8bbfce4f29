"""Two connections: a slow commit of one run does not hold up another's text."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from uuid import UUID

from callsheet.db.driver import DriverConnection
from callsheet.db.options import DatabaseOptions
from callsheet.db.transaction import Database
from callsheet.events.entry import Entry
from callsheet.events.run import RunFinished
from callsheet.journal.budgets import NoBudgets
from callsheet.journal.changes import Changes
from callsheet.journal.options import JournalOptions
from callsheet.journal.postgres import PostgresJournal
from callsheet.journal.writer import JournalStore, JournalWriter
from callsheet.journal.written import Written
from callsheet.kit.clock import SystemClock
from tests.fakes.spool import NoSpool
from tests.journal.stage import admitted
from tests.journal.test_writer import BEGIN, Shown, admitted_again


@dataclass(frozen=True, slots=True)
class Gate:
    reached: asyncio.Event = field(default_factory=asyncio.Event)
    opened: asyncio.Event = field(default_factory=asyncio.Event)


class GatedStore:
    """Holds every write that has a certain run in it until it is let go."""

    def __init__(self, store: JournalStore, held: UUID, gate: Gate) -> None:
        self._store = store
        self._held = held
        self._gate = gate

    async def write(self, entries: list[tuple[UUID, Entry]], changes: Changes) -> Written:
        if any(run_id == self._held for run_id, _ in entries):
            self._gate.reached.set()
            await self._gate.opened.wait()
        return await self._store.write(entries, changes)


async def test_a_commit_that_takes_long_holds_up_its_own_run_alone(
    database: Database, database_url: str
) -> None:
    slow, quick = await admitted(database), await admitted_again(database)
    gate = Gate()
    shown: Shown = []
    connections = [DriverConnection(DatabaseOptions(database_url)) for _ in range(2)]
    writer = JournalWriter(
        [
            GatedStore(PostgresJournal(each, "USD", NoBudgets()), slow.keys.run_id, gate)
            for each in connections
        ],
        lambda run_id, entries: shown.append((run_id, entries)),
        SystemClock(),
        JournalOptions(),
        NoSpool(),
    )
    async with asyncio.timeout(30), asyncio.TaskGroup() as group:
        group.create_task(writer.run())
        held, other = writer.open(slow.keys), writer.open(quick.keys)
        held.append(BEGIN)
        waiting = group.create_task(held.stored())
        await gate.reached.wait()
        for _ in range(3):
            other.append(BEGIN)
            await other.stored()
        held.append(RunFinished())
        assert not waiting.done()
        assert {run_id for run_id, _ in shown} == {quick.keys.run_id}
        gate.opened.set()
        await held.stored()
        writer.close()
    seqs = [
        entry.seq for run_id, entries in shown for entry in entries if run_id == slow.keys.run_id
    ]
    assert seqs == [1, 2]
    for each in connections:
        await each.close()
