"""A journal that stores nothing, to see what storing costs. It exists here alone."""

from __future__ import annotations

import itertools
from uuid import UUID

from callsheet.events.entry import Entry
from callsheet.journal.changes import Changes
from callsheet.journal.written import Written


class NullJournal:
    """Answers as the real store does, without a statement: no events, messages or ledger rows."""

    def __init__(self) -> None:
        self._seqs = itertools.count(1)

    async def write(self, entries: list[tuple[UUID, Entry]], changes: Changes) -> Written:
        """Give every new message a number."""
        return Written({str(message.id): next(self._seqs) for message in changes.new_messages})
