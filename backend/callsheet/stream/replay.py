"""A view of a run: what the journal holds, then what comes, without a gap or a double."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Protocol
from uuid import UUID

from callsheet.events.entry import Entry
from callsheet.events.union import TERMINAL
from callsheet.stream.local import LocalBroker, Subscription


class JournalReader(Protocol):
    """Reads stored events."""

    async def after(self, run_id: UUID, seq: int, limit: int) -> tuple[Entry, ...]:
        """At most `limit` entries with a higher seq, in order."""
        ...


PAGE = 1_000


async def follow(
    run_id: UUID, broker: LocalBroker, reader: JournalReader, *, is_new: bool, after: int = 0
) -> AsyncGenerator[tuple[Entry, ...], None]:
    """The run's entries after `after`, up to and with the terminal one, as they can be had.

    `is_new`: nothing of the run is stored yet, so that the journal need not be read first.
    """
    viewer = broker.subscribe(run_id)
    return _entries(run_id, broker, reader, viewer, is_new=is_new, after=after)


async def _entries(
    run_id: UUID,
    broker: LocalBroker,
    reader: JournalReader,
    viewer: Subscription,
    *,
    is_new: bool,
    after: int,
) -> AsyncGenerator[tuple[Entry, ...], None]:
    last = after
    read_first = not is_new
    try:
        while True:
            if read_first:
                while entries := await reader.after(run_id, last, PAGE):
                    last = entries[-1].seq
                    yield entries
                    if isinstance(entries[-1].event, TERMINAL):
                        return
                read_first = False
            entries = tuple(entry for entry in await viewer.take() if entry.seq > last)
            if viewer.lagging:
                broker.unsubscribe(run_id, viewer)
                viewer = broker.subscribe(run_id)
                read_first = True
                continue
            if entries and entries[0].seq > last + 1:
                read_first = True  # something was stored that was not published
            elif entries:
                last = entries[-1].seq
                yield entries
                if isinstance(entries[-1].event, TERMINAL):
                    return
    finally:
        broker.unsubscribe(run_id, viewer)
