"""Writes a batch of the journal into Postgres, with all that follows from its events."""

from __future__ import annotations

from uuid import UUID

from callsheet.db.driver import DriverConnection
from callsheet.events.entry import Entry
from callsheet.journal.changes import Changes
from callsheet.kit.json import decode
from callsheet.ledger.journal_store import open_calls, settle_calls
from callsheet.runs.journal_store import append_events, end_runs, start_runs
from callsheet.sessions.journal_store import (
    SEQS,
    add_messages,
    finish_messages,
    lock_sessions,
    set_statuses,
)


class PostgresJournal:
    """Implements `JournalStore` on a connection that nothing else uses."""

    def __init__(self, connection: DriverConnection, currency: str) -> None:
        self._connection = connection
        self._currency = currency

    async def write(self, entries: list[tuple[UUID, Entry]], changes: Changes) -> dict[str, int]:
        """One transaction; sessions are locked first, always in the same order."""
        if not changes.sessions:
            async with self._connection.statement() as connection:
                await append_events(connection, entries)
            return {}
        async with self._connection.joined() as tx:
            await lock_sessions(tx, changes.sessions)
            await append_events(tx, entries)
            if changes.started_runs:
                await start_runs(tx, changes.started_runs)
            if changes.new_messages:
                await add_messages(tx, changes.new_messages, self._currency)
            if changes.opened_calls:
                await open_calls(tx, changes.opened_calls)
            if changes.settled_calls:
                await settle_calls(tx, changes.settled_calls)
            if changes.finished_messages:
                await finish_messages(tx, changes.finished_messages)
            if changes.ended_runs:
                await end_runs(tx, changes.ended_runs)
            if changes.statuses:
                await set_statuses(tx, changes.statuses)
            if changes.new_messages:
                tx.give(SEQS, [message.id for message in changes.new_messages])
            seqs = await tx.run()
        return {} if seqs is None else decode(seqs)
