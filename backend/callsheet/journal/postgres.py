"""Writes a batch of the journal into Postgres, with all that follows from its events."""

from __future__ import annotations

from uuid import UUID

from asyncpg import NotNullViolationError

from callsheet.db.driver import DriverConnection
from callsheet.db.joined import Joined
from callsheet.events.entry import Entry
from callsheet.interrupts.journal_store import open_interrupts
from callsheet.journal.budgets import Budgets
from callsheet.journal.changes import Changes
from callsheet.journal.written import Fenced, Written
from callsheet.kit.json import decode
from callsheet.ledger.journal_store import lock_counters, open_calls, settle_calls
from callsheet.runs.journal_store import (
    append_events,
    call_up,
    end_runs,
    is_fenced,
    say_steered,
    start_runs,
)
from callsheet.sessions.journal_store import (
    SEQS,
    add_messages,
    finish_messages,
    lock_sessions,
    set_statuses,
)

Entries = list[tuple[UUID, Entry]]


class PostgresJournal:
    """Implements `JournalStore` on a connection that nothing else uses."""

    def __init__(self, connection: DriverConnection, currency: str, budgets: Budgets) -> None:
        self._connection = connection
        self._currency = currency
        self._budgets = budgets

    async def write(self, entries: Entries, changes: Changes) -> Written:
        """One transaction; sessions are locked first, always in the same order."""
        try:
            return await self._committed(entries, changes)
        except NotNullViolationError as error:
            if is_fenced(error):
                raise Fenced from error
            raise

    async def _committed(self, entries: Entries, changes: Changes) -> Written:
        if not changes.sessions:
            async with self._connection.statement() as connection:
                await append_events(connection, entries, changes.epochs)
            return Written()
        if changes.opened_calls and self._budgets.applies(changes.opened_calls):
            return await self._within_budget(entries, changes)
        async with self._connection.joined() as tx:
            return await self._write(tx, entries, changes)

    async def _within_budget(self, entries: Entries, changes: Changes) -> Written:
        """The same with a question between, so that it takes a few round trips.

        What ended gives back what it held before the next is judged: mostly both come in one batch.
        """
        async with self._connection.transaction() as connection:
            ended, changes = changes.ended_before()
            before = self._connection.join(connection)
            await lock_sessions(before, changes.sessions)
            await lock_counters(before)
            if ended:
                await settle_calls(before, ended, self._budgets.zone)
            await before.run()
            refusals = await self._budgets.refuse(connection, changes.opened_calls)
            changes = changes.without(refusals)
            written = await self._write(self._connection.join(connection), entries, changes)
        return Written(written.seqs, refusals)

    async def _write(self, tx: Joined, entries: Entries, changes: Changes) -> Written:
        await lock_sessions(tx, changes.sessions)
        await append_events(tx, entries, changes.epochs)
        if changes.started_runs:
            await start_runs(tx, changes.started_runs)
        if changes.new_messages:
            await add_messages(tx, changes.new_messages, self._currency, changes.statuses)
        elif changes.statuses:
            await set_statuses(tx, changes.statuses)
        if changes.steered:
            await say_steered(tx, changes.steered)
        if changes.finished_messages:
            await finish_messages(tx, changes.finished_messages)
        await _end(tx, changes)
        if changes.opened_calls or changes.settled_calls:
            await lock_counters(tx)
        if changes.opened_calls:
            await open_calls(tx, changes.opened_calls, self._budgets.zone)
        if changes.settled_calls:
            await settle_calls(tx, changes.settled_calls, self._budgets.zone)
        if changes.new_messages:
            tx.give(SEQS, [message.id for message in changes.new_messages])
        seqs = await tx.run()
        return Written({} if seqs is None else decode(seqs))


async def _end(tx: Joined, changes: Changes) -> None:
    """The ends of runs, what those wait for that have not ended, and who waits for the ends."""
    if changes.ended_runs:
        await end_runs(tx, changes.ended_runs)
    if changes.new_interrupts:
        await open_interrupts(tx, changes.new_interrupts)
    if changes.freed_sessions:
        await call_up(tx, changes.freed_sessions)
