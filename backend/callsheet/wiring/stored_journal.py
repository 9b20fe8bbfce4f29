"""The journals of runs as the database has them."""

from __future__ import annotations

from collections.abc import Mapping
from uuid import UUID

from callsheet.db.transaction import Database
from callsheet.events.entry import Entry
from callsheet.runs.event_store import read_events, read_events_of_each


class StoredJournal:
    """Implements `stream.protocol.JournalReader`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def after(self, run_id: UUID, seq: int, limit: int) -> tuple[Entry, ...]:
        """Stored entries with a higher seq, in order: at least `limit` where there are as many."""
        async with self._database.read() as tx:
            return await read_events(tx, run_id, seq, limit)

    async def after_each(
        self, seqs: Mapping[UUID, int], limit: int
    ) -> Mapping[UUID, tuple[Entry, ...]]:
        """The same for several runs at once; one without any is left out."""
        async with self._database.read() as tx:
            return await read_events_of_each(tx, seqs, limit)
