"""The journals of runs as the database has them."""

from __future__ import annotations

from uuid import UUID

from callsheet.events.entry import Entry
from callsheet.runs.store import read_events
from callsheet.wiring.core import Core


class StoredJournal:
    """Implements `stream.replay.JournalReader`."""

    def __init__(self, core: Core) -> None:
        self._database = core.database

    async def after(self, run_id: UUID, seq: int, limit: int) -> tuple[Entry, ...]:
        """At most `limit` stored entries with a higher seq, in order."""
        async with self._database.read() as tx:
            return await read_events(tx, run_id, seq, limit)
