"""Ends runs whose process is gone, or goes on with them, from what their journals hold.

Everything that was open is ended in order, the calls under way are settled by estimate, the text
that had streamed is kept, and the run gets its one terminal event.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

import structlog

from callsheet.db.transaction import Database, Read
from callsheet.events.call import LlmCallStarted
from callsheet.events.entry import Entry
from callsheet.events.run import RunFailed, RunTakenOver
from callsheet.events.union import TERMINAL, AnyRunEvent
from callsheet.journal.changes import WORKER_DIED, RunKeys
from callsheet.journal.ending import Ends, closing, ending, left_open
from callsheet.journal.options import JournalOptions
from callsheet.journal.orphan import orphaned, unbooked
from callsheet.journal.run_log import JournaledRun
from callsheet.journal.spool import Spool
from callsheet.journal.streamed import streamed_answers
from callsheet.journal.writer import JournalWriter
from callsheet.journal.written import WriteRefused
from callsheet.kit.errors import AppError
from callsheet.ledger.late import correct_late
from callsheet.ledger.opened import quotes_of
from callsheet.runs.event_store import read_events
from callsheet.runs.run import RunRecord
from callsheet.runs.store import active_runs, run_by_id
from callsheet.runs.worker_locks import is_alive

log = structlog.get_logger(__name__)

_PAGE = 2_000
_EVERY_S: Final = JournalOptions().sweep_every_s
_SURE_AFTER_S: Final = 5.0
_GONE: Final = RunFailed(code=WORKER_DIED, message="The process that ran it is gone.")


@dataclass(frozen=True, slots=True)
class _Left:
    """A run as its process left it: its journal, the calls that were open, their estimates."""

    run: RunRecord
    entries: Sequence[Entry]
    calls: Sequence[LlmCallStarted]
    estimates: Ends


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

    async def watch(self, every_s: float = _EVERY_S, sure_after_s: float = _SURE_AFTER_S) -> None:
        """Sweep now and every so often, and book late what was measured; until cancelled.

        The first sweep of a process is done at once: it waits for nobody to come back.
        """
        while True:
            await self.sweep(sure_after_s if self._has_swept else 0.0)
            self._has_swept = True
            await self.book_late()
            await asyncio.sleep(every_s)

    async def sweep(self, sure_after_s: float = 0.0) -> int:
        """End every active run that nobody works on; how many there were.

        A process that has lost its connection looks dead until it has a new one: so a run is ended
        only if it is without anybody `sure_after_s` later too. One that cannot be ended is logged
        and left.
        """
        try:
            abandoned = await self._abandoned()
            if abandoned and sure_after_s:
                await asyncio.sleep(sure_after_s)
                abandoned &= await self._abandoned()
        except AppError:
            log.exception("runs_not_swept")
            return 0
        for run_id in sorted(abandoned):
            try:
                await self.end(run_id)
            except Exception:  # border: one run's journal is not the others' end
                log.exception("run_not_ended", run_id=str(run_id))
        return len(abandoned)

    async def _abandoned(self) -> set[UUID]:
        async with self._database.read() as tx:
            return {
                run_id
                for run_id, worker_id in await active_runs(tx)
                if not await self._has_somebody(tx, run_id, worker_id)
            }

    async def _has_somebody(self, tx: Read, run_id: UUID, worker_id: str | None) -> bool:
        """Of its own runs a process knows it for certain; the lock only speaks for others."""
        if worker_id == self._worker_id:
            return self._is_under_way(run_id)
        return await is_alive(tx, worker_id)

    async def end(self, run_id: UUID, last: RunFailed = _GONE) -> None:
        """End one abandoned run with `last`. Two processes may do so at once: both write the same.

        Whoever looks at the run is shown its end.
        """
        left = await self._left(run_id)
        if left is None:
            return
        if left.entries and isinstance(left.entries[-1].event, TERMINAL):
            self._writer.show(run_id, left.entries[-1])  # another process wrote it
            return
        log.warning("run_abandoned", run_id=str(run_id), events=len(left.entries))
        await self._write(left, lambda ends: ending(left.run, left.entries, last, ends))

    async def take_over(self, run_id: UUID, worker_id: str, epoch: int) -> JournaledRun | None:
        """Close what the process that is gone left open, and go on in the run's own journal.

        The run must be this process's already, with `epoch`. None where it has ended.
        """
        left = await self._left(run_id)
        if left is None or (left.entries and isinstance(left.entries[-1].event, TERMINAL)):
            return None
        if not left.entries:  # it had not begun: there is nothing to close, and nothing to tell
            return self._open(left)
        taken = RunTakenOver(worker_id=worker_id, epoch=epoch)
        log.warning("run_taken_over", run_id=str(run_id), events=len(left.entries))
        return await self._write(left, lambda ends: [*closing(left.entries, ends), taken])

    async def _left(self, run_id: UUID) -> _Left | None:
        """The run with its journal as it was left; None where there is no such run."""
        async with self._database.read() as tx:
            run = await run_by_id(tx, run_id)
            if run is None:
                return None
            entries: list[Entry] = []
            while page := await read_events(tx, run_id, entries[-1].seq if entries else 0, _PAGE):
                entries.extend(page)
            calls = left_open([entry.event for entry in entries])
            quotes = await quotes_of(tx, run_id, calls) if calls else {}
        answers = streamed_answers([entry.event for entry in entries])
        estimates = {
            call.call_id: orphaned(
                call, answers[call.message_id].everything, quotes.get(call.call_id)
            )
            for call in calls
        }
        return _Left(run, entries, calls, estimates)

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
        run = left.run
        return self._writer.open(
            RunKeys(run.id, run.session_id, run.user_id), stored_seq=len(left.entries)
        )

    async def book_late(self) -> None:
        """Correct what was settled by estimate while the measure lay here, by another process.

        What cannot be booked is logged and left.
        """
        for run_id in await self._spool.runs():
            try:
                await self._book_late(run_id)
            except AppError:
                log.exception("late_usage_not_booked", run_id=str(run_id))
                return
            except Exception:  # border: one run's file is not the others' end
                log.exception("late_usage_refused", run_id=str(run_id))

    async def _book_late(self, run_id: UUID) -> None:
        measured = tuple((await self._spool.of(run_id)).values())
        async with self._database.transaction() as tx:
            run = await run_by_id(tx, run_id)
            if run is None or run.status in ("queued", "running"):
                return
            corrected = await correct_late(tx, measured)
        await self._spool.drop(run_id)
        log.warning("late_usage_booked", run_id=str(run_id), corrected=corrected)
