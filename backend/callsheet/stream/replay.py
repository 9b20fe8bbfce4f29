"""A view of a run: what the journal holds, then what comes, without a gap or a double."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from callsheet.events.entry import Entry
from callsheet.events.union import TERMINAL
from callsheet.stream.protocol import Broker, JournalReader
from callsheet.stream.subscription import Subscription

PAGE: Final = 250
"""Entries that are encoded in one step: few enough to hold up nobody else."""
READ: Final = 1_000
"""Entries that are read in one step."""

Batches = AsyncGenerator[tuple[Entry, ...], None]


@dataclass(frozen=True, slots=True)
class _Way:
    """How to look on; see `follow`."""

    after: int
    is_new: bool


async def follow(
    run_id: UUID, broker: Broker, reader: JournalReader, *, is_new: bool, after: int = 0
) -> Batches:
    """The run's entries after `after`, up to and with the terminal one, as they can be had.

    `is_new`: nothing of the run is stored yet, so that the journal need not be read first.
    """
    viewer = broker.subscribe(run_id)
    if is_new:
        broker.caught_up(run_id, viewer, after)
    return _entries(run_id, broker, reader, viewer, _Way(after, is_new))


async def stored(run_id: UUID, reader: JournalReader, after: int = 0) -> Batches:
    """The entries after `after` of a run that has ended."""
    async for entries in _pages(run_id, reader, after):
        yield entries
        if isinstance(entries[-1].event, TERMINAL):
            return


async def _entries(
    run_id: UUID, broker: Broker, reader: JournalReader, viewer: Subscription, way: _Way
) -> Batches:
    last = way.after
    read_first = not way.is_new
    try:
        while True:
            if read_first:
                is_over = viewer.is_over
                async for entries in _pages(run_id, reader, last):
                    last = entries[-1].seq
                    yield entries
                    if isinstance(entries[-1].event, TERMINAL):
                        return
                if is_over:
                    viewer.refuse()
                    return
                broker.caught_up(run_id, viewer, last)
            taken = await viewer.take()
            entries, is_whole = _following(taken, last)
            if entries:
                last = entries[-1].seq
                yield entries
                if isinstance(entries[-1].event, TERMINAL):
                    return
            read_first = not taken or not is_whole or viewer.lagging
            if viewer.lagging and not viewer.is_over:
                broker.unsubscribe(run_id, viewer)
                viewer = broker.subscribe(run_id)
    finally:
        broker.unsubscribe(run_id, viewer)


def _following(taken: tuple[Entry, ...], last: int) -> tuple[tuple[Entry, ...], bool]:
    """What follows `last` without a gap, and whether that is all; some may have come before."""
    entries: list[Entry] = []
    for entry in taken:
        if entry.seq == last + 1:
            entries.append(entry)
            last += 1
        elif entry.seq > last:
            return tuple(entries), False
    return tuple(entries), True


async def _pages(run_id: UUID, reader: JournalReader, after: int) -> Batches:
    """All that is stored now; what is committed while the last page is read is published."""
    last = after
    while entries := await reader.after(run_id, last, READ):
        for start in range(0, len(entries), PAGE):
            yield entries[start : start + PAGE]
        last = entries[-1].seq
        if len(entries) < READ:
            return
