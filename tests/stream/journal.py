"""A journal in memory."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime
from uuid import UUID

from callsheet.events.entry import Entry
from callsheet.events.run import RunFinished
from callsheet.events.stage import StageStarted
from callsheet.events.union import AnyRunEvent

AT = datetime(2026, 1, 1, tzinfo=UTC)


def entries(first: int, last: int, *, end: bool = False) -> tuple[Entry, ...]:
    made: list[Entry] = []
    for seq in range(first, last + 1):
        event: AnyRunEvent = StageStarted(stage=str(seq))
        if end and seq == last:
            event = RunFinished()
        made.append(Entry(seq, AT, event))
    return tuple(made)


class Journal:
    """Stored entries of one run; a read takes a moment, in which others may run."""

    def __init__(self, *stored: Entry) -> None:
        self.stored = list(stored)
        self.reads = 0

    async def after(self, run_id: UUID, seq: int, limit: int) -> tuple[Entry, ...]:
        self.reads += 1
        found = tuple(entry for entry in self.stored if entry.seq > seq)[:limit]
        await asyncio.sleep(0)
        return found

    async def after_each(
        self, seqs: Mapping[UUID, int], limit: int
    ) -> Mapping[UUID, tuple[Entry, ...]]:
        found = {run_id: await self.after(run_id, seq, limit) for run_id, seq in seqs.items()}
        return {run_id: entries for run_id, entries in found.items() if entries}
