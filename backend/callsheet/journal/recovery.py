"""Ends runs whose process is gone, or goes on with them, from what their journals hold.

Everything that was open is ended in order, the calls under way are settled by estimate, the text
that had streamed is kept, and the run gets its one terminal event.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

import structlog

from callsheet.db.transaction import Database, Read
from callsheet.events.call import LlmCallStarted
from callsheet.events.entry import Entry
from callsheet.events.run import RunCancelled, RunFailed, RunTakenOver
from callsheet.events.union import TERMINAL, AnyRunEvent
from callsheet.journal.changes import WORKER_DIED, RunKeys
from callsheet.journal.ending import Ends, closing, ending, left_open
from callsheet.journal.late_usage import book_late
from callsheet.journal.orphan import orphaned, unbooked
from callsheet.journal.run_log import JournaledRun
from callsheet.journal.spool import Spool
from callsheet.journal.streamed import streamed_answers
from callsheet.journal.writer import JournalWriter
from callsheet.journal.written import Fenced, WriteRefused
from callsheet.kit.errors import AppError
from callsheet.ledger.opened import quotes_of
from callsheet.runs.event_store import read_events
from callsheet.runs.lease import Lease
from callsheet.runs.lease_store import abandoned_runs, runs_of, take_over
from callsheet.runs.run import RunRecord
from callsheet.runs.states import ACTIVE
from callsheet.runs.store import run_by_id

log = structlog.get_logger(__name__)

_PAGE = 2_000
_EVERY_S: Final = 10.0
_SURE_AFTER_S: Final = 5.0
_LOOKS: Final = 40
_LOOK_S: Final = 0.05
_GONE: Final = RunFailed(code=WORKER_DIED, message="The process that ran it is gone.")


@dataclass(frozen=True, slots=True)
class _Left:
    """A run as its process left it: its journal, the calls that were open, their estimates."""

    run: RunRecord
    keys: RunKeys
    entries: Sequence[Entry]
    calls: Sequence[LlmCallStarted]
    estimates: Ends


HandOver = Callable[[UUID, Lease], Awaitable[bool]]
"""Lets another worker go on with a run that was seen like that; false: it is to be ended."""


async def to_nobody(run_id: UUID, seen: Lease) -> bool:
    """There is no other worker."""
    del run_id, seen
    return False


class Recovery:
    """Finds and ends abandoned runs; `is_under_way` knows the runs of this process."""

    def __init__(
        self,
        database: Database,
        writer: JournalWriter,
        worker_id: str,
        spool: Spool,
        is_under_way: Callable[[UUID], bool],
    ) -> None:
        self._database = database
        self._writer = writer
        self._spool = spool
        self._worker_id = worker_id
        self._is_under_way = is_under_way
        self._has_swept = False
        self._ending: set[UUID] = set()

    async def watch(
        self,
        every_s: float = _EVERY_S,
        sure_after_s: float = _SURE_AFTER_S,
        hand_over: HandOver = to_nobody,
    ) -> None:
        """Sweep now and every so often, and book late what was measured; until cancelled.

        The first sweep of a process is done at once: it waits for nobody to come back.
        """
        while True:
            await self.sweep(sure_after_s if self._has_swept else 0.0, hand_over)
            self._has_swept = True
            await self.book_late()
            await asyncio.sleep(every_s)

    async def sweep(self, sure_after_s: float = 0.0, hand_over: HandOver = to_nobody) -> int:
        """Hand over, or end, every active run that nobody works on; how many there were.

        A process that has lost its connection looks dead until it has a new one: so a run is ended
        only if it is without anybody `sure_after_s` later too. One that cannot be ended is logged
        and left. A run that waits for a worker is not abandoned.
        """
        try:
            abandoned = await self._abandoned()
            if abandoned and sure_after_s:
                await asyncio.sleep(sure_after_s)
                still = await self._abandoned()
                abandoned = {i: seen for i, seen in abandoned.items() if still.get(i) == seen}
        except AppError:
            log.exception("runs_not_swept")
            return 0
        for run_id, seen in sorted(abandoned.items()):
            try:
                if not await hand_over(run_id, seen):
                    await self.end(run_id, seen)
            except Exception:  # border: one run's journal is not the others' end
                log.exception("run_not_ended", run_id=str(run_id))
        return len(abandoned)

    async def _abandoned(self) -> dict[UUID, Lease]:
        """Of its own runs a process knows it for certain; leases only speak for others."""
        async with self._database.read() as tx:
            found = dict(await abandoned_runs(tx, self._worker_id))
            own = await runs_of(tx, self._worker_id)
        lost = {i: seen for i, seen in own if not (self._is_under_way(i) or i in self._ending)}
        return {**found, **lost}

    async def end(self, run_id: UUID, seen: Lease, last: RunFailed | RunCancelled = _GONE) -> bool:
        """End with `last` a run that nobody works on, where it still is as it was `seen`.

        Of several processes one does so, and who had it writes nothing more. Whoever looks at the
        run is shown its end. False where it goes on: another process has taken it.
        """
        self._ending.add(run_id)
        try:
            async with self._database.transaction() as tx:
                lease = await take_over(tx, run_id, seen, self._worker_id)
            if lease is not None:
                return await self._end(run_id, lease, last)
        except Fenced:
            log.warning("run_taken_while_ended", run_id=str(run_id))
        finally:
            self._ending.discard(run_id)
        return await self._ended_elsewhere(run_id)

    async def _ended_elsewhere(self, run_id: UUID) -> bool:
        """Whether another process ends it, at this moment or before."""
        for _ in range(_LOOKS):
            async with self._database.read() as tx:
                run = await run_by_id(tx, run_id)
                if run is None:
                    return True
                if run.status not in ACTIVE:
                    entries = await self._entries(tx, run_id)
                    if entries and isinstance(entries[-1].event, TERMINAL):
                        self._writer.show(run_id, entries[-1])
                    return True
            await asyncio.sleep(_LOOK_S)
        return False

    async def _end(self, run_id: UUID, lease: Lease, last: RunFailed | RunCancelled) -> bool:
        left = await self._left(run_id, lease.epoch)
        if left is not None:
            log.warning("run_abandoned", run_id=str(run_id), events=len(left.entries))
            await self._write(left, lambda ends: ending(left.run, left.entries, last, ends))
        return True

    async def take_over(self, run_id: UUID, worker_id: str, epoch: int) -> JournaledRun | None:
        """Close what the process that is gone left open, and go on in the run's own journal.

        The run must be this process's already, with `epoch`. None where it has ended.
        """
        left = await self._left(run_id, epoch)
        if left is None or (left.entries and isinstance(left.entries[-1].event, TERMINAL)):
            return None
        if not left.entries:  # it had not begun: there is nothing to close, and nothing to tell
            return self._open(left)
        taken = RunTakenOver(worker_id=worker_id, epoch=epoch)
        log.warning("run_taken_over", run_id=str(run_id), events=len(left.entries))
        return await self._write(left, lambda ends: [*closing(left.entries, ends), taken])

    async def _left(self, run_id: UUID, epoch: int) -> _Left | None:
        """The run with its journal as it was left; None where there is no such run."""
        async with self._database.read() as tx:
            run = await run_by_id(tx, run_id)
            if run is None:
                return None
            entries = await self._entries(tx, run_id)
            calls = left_open([entry.event for entry in entries])
            quotes = await quotes_of(tx, run_id, calls) if calls else {}
        answers = streamed_answers([entry.event for entry in entries])
        estimates = {
            call.call_id: orphaned(
                call, answers[call.message_id].everything, quotes.get(call.call_id)
            )
            for call in calls
        }
        keys = RunKeys(run.id, run.session_id, run.user_id, epoch, leads=not run.behind)
        return _Left(run, keys, entries, calls, estimates)

    @staticmethod
    async def _entries(tx: Read, run_id: UUID) -> list[Entry]:
        entries: list[Entry] = []
        while page := await read_events(tx, run_id, entries[-1].seq if entries else 0, _PAGE):
            entries.extend(page)
        return entries

    async def _write(
        self, left: _Left, events: Callable[[Ends], Sequence[AnyRunEvent]]
    ) -> JournaledRun:
        """Append what `events` gives for the ends of the calls that were left open."""
        run_id = left.run.id
        kept = await self._spool.of(run_id)
        try:
            journal = await self._append(left, events({**left.estimates, **kept}))
        except WriteRefused:
            # What was used does not fit into the books: the run goes without, and is not billed
            # for it, until it is booked as a correction.
            log.exception("usage_does_not_fit", run_id=str(run_id))
            used = [*left.estimates.values(), *kept.values()]
            await self._spool.keep([(run_id, end) for end in used])
            return await self._append(left, events({c.call_id: unbooked(c) for c in left.calls}))
        if kept:
            await self._spool.drop(run_id)
        return journal

    async def _append(self, left: _Left, events: Sequence[AnyRunEvent]) -> JournaledRun:
        journal = self._open(left)
        for event in events:
            journal.append(event)
        await journal.stored()
        return journal

    def _open(self, left: _Left) -> JournaledRun:
        return self._writer.open(left.keys, stored_seq=len(left.entries))

    async def book_late(self) -> None:
        """See `late_usage.book_late`."""
        await book_late(self._database, self._spool)
