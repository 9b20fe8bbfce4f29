"""The one writer of journals in a process: store first, then show.

It commits at once when idle and joins what arrives while commits are under way, for all runs
together. A run's events are in one commit at a time, in their order; a second connection lets
other runs' text go by once a commit takes long: until then most of it is better kept for the
next. Events that nobody waits for (a run's start, an answer's end) linger a few milliseconds,
because what follows them mostly comes within that time and then needs no commit of its own. Every
write can be repeated: after a lost connection the same batch is written again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Protocol
from uuid import UUID

import structlog

from callsheet.events.call import LlmCallFinished
from callsheet.events.entry import Entry
from callsheet.journal.changes import Changes, RunKeys
from callsheet.journal.options import JournalOptions
from callsheet.journal.orphan import UNBOOKED
from callsheet.journal.run_log import JournaledRun
from callsheet.journal.spool import Measured, Spool
from callsheet.journal.written import Fenced, WriteRefused, Written
from callsheet.kit.clock import Clock
from callsheet.kit.errors import Unavailable

log = structlog.get_logger(__name__)

Batch = list[tuple[JournaledRun, list[Entry]]]


class JournalStore(Protocol):
    """Writes a batch in one transaction."""

    async def write(self, entries: list[tuple[UUID, Entry]], changes: Changes) -> Written:
        """Commit it and say what came of it; raises Unavailable, nothing stored."""
        ...


class JournalWriter:
    """Takes events from any number of runs; `run` must be running for anything to be stored."""

    def __init__(
        self,
        stores: Sequence[JournalStore],
        publish: Callable[[UUID, tuple[Entry, ...]], None],
        clock: Clock,
        options: JournalOptions,
        spool: Spool,
    ) -> None:
        self._stores = stores
        self._publish = publish
        self._clock = clock
        self._options = options
        self._spool = spool
        self._kept: dict[UUID, set[str]] = {}
        # What one connection keeps, the other must not remove at the same moment.
        self._spooling = asyncio.Lock()
        self._touched: dict[UUID, JournaledRun] = {}
        self._writing: set[UUID] = set()
        self._wake = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()
        self._urgent = asyncio.Event()
        self._closing = False

    def open(self, keys: RunKeys, stored_seq: int = 0) -> JournaledRun:
        """The journal of a run whose last stored event is `stored_seq`, 0 where it begins now."""
        return JournaledRun(keys, self._clock, self._touch, stored_seq)

    async def run(self) -> None:
        """Write until `close`, and then what is left."""
        async with asyncio.TaskGroup() as writing:
            for store in self._stores:
                writing.create_task(self._write_on(store))

    async def _write_on(self, store: JournalStore) -> None:
        while True:
            await self._wake.wait()
            await self._linger()
            await self._keep_for_the_next()
            self._wake.clear()
            self._urgent.clear()
            batch = self._take()
            if batch:
                await self._commit(store, batch)
                await asyncio.sleep(0)  # viewers are served before the next batch is made
            elif self._closing and not self._writing:
                self._wake.set()  # for who writes beside
                return

    def close(self) -> None:
        """Let `run` return once everything is written."""
        self._closing = True
        self._urgent.set()
        self._wake.set()

    def _touch(self, run: JournaledRun, urgent: bool) -> None:  # noqa: FBT001 - a callback
        self._touched[run.keys.run_id] = run
        if urgent:
            self._urgent.set()
        self._wake.set()

    async def _linger(self) -> None:
        if self._urgent.is_set():
            return
        try:
            async with asyncio.timeout(self._options.linger_s):
                await self._urgent.wait()
        except TimeoutError:
            return

    async def _keep_for_the_next(self) -> None:
        """Wait for the end of a commit that is under way, unless it takes long."""
        if self._idle.is_set():
            return
        try:
            async with asyncio.timeout(self._options.beside_after_s):
                await self._idle.wait()
        except TimeoutError:
            return

    def _take(self) -> Batch:
        """What waits, of all runs that are in no commit now."""
        ready = [run for run_id, run in self._touched.items() if run_id not in self._writing]
        batch = [(run, taken) for run in ready if (taken := run.take())]
        for run in ready:
            del self._touched[run.keys.run_id]
        if batch:
            self._writing.update(run.keys.run_id for run, _ in batch)
            self._idle.clear()
        return batch

    async def _commit(self, store: JournalStore, batch: Batch) -> None:
        runs = {run.keys.run_id for run, _ in batch}
        try:
            await self._write(store, batch)
        finally:
            self._writing -= runs
            if not self._writing:
                self._idle.set()
            if self._closing or not runs.isdisjoint(self._touched):
                self._urgent.set()
                self._wake.set()

    def show(self, run_id: UUID, last: Entry) -> None:
        """Tell the run's viewers of an end that was stored elsewhere."""
        self._publish(run_id, (last,))

    async def _write(self, store: JournalStore, batch: Batch) -> None:
        changes = Changes()
        entries: list[tuple[UUID, Entry]] = []
        try:
            for run, taken in batch:
                for keys, entry in run.written(taken):
                    entries.append((keys.run_id, entry))
                    changes.take(keys, entry.event)
            written = await self._persistently(store, entries, changes)
        except Fenced:
            await self._taken(store, batch)
            return
        except Unavailable as error:
            for run, _ in batch:
                self._give_up(run, error)
            return
        except Exception:  # noqa: BLE001 - border: one bad run must not take the others with it
            await self._one_by_one(store, batch)
            return
        for run, taken in batch:
            run.take_in(written)
            run.confirm(taken)
            for run_id, shown in run.shown(taken):
                self._publish(run_id, shown)
            if run.keys.run_id in self._kept:
                await self._drop_kept(run)

    async def _one_by_one(self, store: JournalStore, batch: Batch) -> None:
        if len(batch) > 1:
            for single in batch:
                await self._write(store, [single])
            return
        run, taken = batch[0]
        log.exception("journal_write_refused", run_id=str(run.keys.run_id))
        await self._keep_measured([(run.keys.run_id, entry) for entry in taken])
        self._give_up(run, WriteRefused())

    async def _taken(self, store: JournalStore, batch: Batch) -> None:
        """One of the runs is another process's now, and says so when it is written alone."""
        if len(batch) > 1:
            await self._one_by_one(store, batch)
            return
        run, taken = batch[0]
        log.warning("run_fenced", run_id=str(run.keys.run_id))
        await self._keep_measured([(run.keys.run_id, entry) for entry in taken])
        self._give_up(run, Fenced())

    def _give_up(self, run: JournaledRun, error: Unavailable) -> None:
        """What is kept of the run is there for whoever ends it."""
        self._kept.pop(run.keys.run_id, None)
        run.fail(error)

    async def _persistently(
        self, store: JournalStore, entries: list[tuple[UUID, Entry]], changes: Changes
    ) -> Written:
        give_up_at = self._clock.monotonic() + self._options.retry_for_s
        wait_s = self._options.retry_first_s
        while True:
            try:
                return await store.write(entries, changes)
            except Fenced:
                raise
            except Unavailable:
                await self._keep_measured(entries)
                if self._clock.monotonic() + wait_s > give_up_at:
                    raise
                log.warning("journal_write_repeated", events=len(entries), wait_s=wait_s)
                await asyncio.sleep(wait_s)
                wait_s = min(wait_s * 2, self._options.retry_most_s)

    async def _drop_kept(self, run: JournaledRun) -> None:
        """What came behind its batch lies there too, until its own is committed."""
        async with self._spooling:
            if run.keys.run_id in self._kept and not run.measured():
                del self._kept[run.keys.run_id]
                await self._spool.drop(run.keys.run_id)

    async def _keep_measured(self, entries: list[tuple[UUID, Entry]]) -> None:
        """Keep on disk what calls have used: of the batch, and of what waits behind it."""
        async with self._spooling:
            found = [
                (run_id, e.event) for run_id, e in entries if isinstance(e.event, LlmCallFinished)
            ]
            for run in self._touched.values():
                found += [(run.keys.run_id, event) for event in run.measured()]
            fresh: list[Measured] = []
            for run_id, event in found:
                if event.error_code == UNBOOKED or event.call_id in self._kept.get(run_id, ()):
                    continue
                self._kept.setdefault(run_id, set()).add(event.call_id)
                fresh.append((run_id, event))
            if fresh:
                await self._spool.keep(fresh)
