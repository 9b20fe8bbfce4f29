"""The journal without its ledger, to see what the ledger costs. It exists here alone."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

from callsheet.db.driver import DriverConnection
from callsheet.events.entry import Entry
from callsheet.journal.budgets import Budgets
from callsheet.journal.changes import Changes
from callsheet.journal.postgres import PostgresJournal
from callsheet.journal.written import Written


class NoLedger:
    """Stores events, messages and runs as the real one does, and no calls, totals or counters."""

    def __init__(self, connection: DriverConnection, currency: str, budgets: Budgets) -> None:
        self._journal = PostgresJournal(connection, currency, budgets)

    async def write(self, entries: list[tuple[UUID, Entry]], changes: Changes) -> Written:
        """All but the ledger."""
        unbooked = replace(changes, opened_calls=[], settled_calls=[])
        return await self._journal.write(entries, unbooked)
