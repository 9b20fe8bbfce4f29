"""A view of a run: what the journal holds, then what comes, without a gap or a double."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass
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


PAGE = 250
"""Entries that are read and encoded in one step: few enough to hold up nobody else."""


@dataclass(frozen=True, slots=True)
class _Way:
    """How to look on; see `follow`."""

    after: int
    is_new: bool
    look_again_s: float | None


async def follow(
    run_id: UUID,
    broker: LocalBroker,
    reader: JournalReader,
    *,
    is_new: bool,
    after: int = 0,
    look_again_s: float | None = None,
) -> AsyncGenerator[tuple[Entry, ...], None]:
    """The run's entries after `after`, up to and with the terminal one, as they can be had.

    `is_new`: nothing of the run is stored yet, so that the journal need not be read first.
    `look_again_s`: the run is under way elsewhere, where it is not published here, so that the
    journal is read again that often.
    """
    viewer = broker.subscribe(run_id)
    return _entries(run_id, broker, reader, viewer, _Way(after, is_new, look_again_s))


async def _entries(
    run_id: UUID, broker: LocalBroker, reader: JournalReader, viewer: Subscription, way: _Way
) -> AsyncGenerator[tuple[Entry, ...], None]:
    last = way.after
    read_first = not way.is_new
    try:
        while True:
            if read_first:
                is_over = viewer.is_over
                while entries := await reader.after(run_id, last, PAGE):
                    last = entries[-1].seq
                    yield entries
                    if isinstance(entries[-1].event, TERMINAL):
                        return
                if is_over:
                    viewer.refuse()
                    return
            entries = await _published(viewer, last, way.look_again_s)
            read_first = not entries
            if entries:
                last = entries[-1].seq
                yield entries
                if isinstance(entries[-1].event, TERMINAL):
                    return
            elif viewer.lagging and not viewer.is_over:
                broker.unsubscribe(run_id, viewer)
                viewer = broker.subscribe(run_id)
    finally:
        broker.unsubscribe(run_id, viewer)


async def _published(
    viewer: Subscription, last: int, look_again_s: float | None
) -> tuple[Entry, ...]:
    """What follows `last` without a gap; empty where the journal has to be read."""
    try:
        async with asyncio.timeout(look_again_s):
            published = await viewer.take()
    except TimeoutError:
        return ()
    entries = tuple(entry for entry in published if entry.seq > last)
    return entries if entries and entries[0].seq == last + 1 else ()
