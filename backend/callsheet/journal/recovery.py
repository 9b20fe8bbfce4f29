"""Ends runs whose process is gone, from what their journals hold.

Everything that was open is ended in order, the calls under way are settled by estimate, the text
that had streamed is kept, and the run gets its one terminal event.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Final
from uuid import UUID

import msgspec
import structlog

from callsheet.db.transaction import Database, Read
from callsheet.events.call import AnswerFinished, LlmCallFinished, LlmCallStarted
from callsheet.events.entry import Entry
from callsheet.events.order import OrderChecker
from callsheet.events.run import RunFailed, RunStarted
from callsheet.events.tally import Tally
from callsheet.events.union import TERMINAL, AnyRunEvent
from callsheet.events.usage import ModelUsage
from callsheet.journal.changes import WORKER_DIED, RunKeys
from callsheet.journal.options import JournalOptions
from callsheet.journal.orphan import orphaned, unbooked
from callsheet.journal.spool import Spool
from callsheet.journal.streamed import Streamed, streamed_answers
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
        async with self._database.read() as tx:
            run = await run_by_id(tx, run_id)
            entries: list[Entry] = []
            while page := await read_events(tx, run_id, entries[-1].seq if entries else 0, _PAGE):
                entries.extend(page)
            if run is None:
                return
            if entries and isinstance(entries[-1].event, TERMINAL):
                self._writer.show(run_id, entries[-1])  # another process wrote it
                return
            left = _left_open([entry.event for entry in entries])
            quotes = await quotes_of(tx, run_id, left) if left else {}
        log.warning("run_abandoned", run_id=str(run_id), events=len(entries))
        answers = streamed_answers([entry.event for entry in entries])
        estimates = {
            call.call_id: orphaned(
                call, answers[call.message_id].everything, quotes.get(call.call_id)
            )
            for call in left
        }
        kept = await self._spool.of(run_id)
        try:
            await self._end_with(run, entries, last, {**estimates, **kept})
        except WriteRefused:
            # What was used does not fit into the books: the run ends without, and is not billed
            # for it, until it is booked as a correction.
            log.exception("usage_does_not_fit", run_id=str(run_id))
            await self._spool.keep([(run_id, e) for e in {**estimates, **kept}.values()])
            await self._end_with(run, entries, last, {c.call_id: unbooked(c) for c in left})
        else:
            if kept:
                await self._spool.drop(run_id)

    async def _end_with(
        self,
        run: RunRecord,
        entries: Sequence[Entry],
        last: RunFailed,
        ends: Mapping[str, LlmCallFinished],
    ) -> None:
        journal = self._writer.open(
            RunKeys(run.id, run.session_id, run.user_id), stored_seq=len(entries)
        )
        for event in _ending(run, entries, last, ends):
            journal.append(event)
        await journal.stored()

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


def _ending(
    run: RunRecord,
    entries: Sequence[Entry],
    last: RunFailed,
    ends: Mapping[str, LlmCallFinished],
) -> list[AnyRunEvent]:
    events: list[AnyRunEvent] = [entry.event for entry in entries]
    if not events:
        begin = RunStarted(
            workflow=run.workflow,
            revision=run.revision or "",
            session_id=str(run.session_id),
            trace_id=run.trace_id or "",
        )
        events = [begin]
    settled = [ends[call.call_id] for call in _left_open(events)]
    order = OrderChecker()
    for event in events:
        order.check(event)
    answers = streamed_answers(events)
    return [
        *([] if entries else events),
        *settled,
        *order.closers("failed"),
        *(_cut(message_id, answers[message_id]) for message_id in _unfinished(events)),
        msgspec.structs.replace(last, usage=_used([*events, *settled])),
    ]


def _left_open(events: Sequence[AnyRunEvent]) -> list[LlmCallStarted]:
    """Calls that were begun and never ended, in order."""
    begun = {e.call_id: e for e in events if isinstance(e, LlmCallStarted)}
    for event in events:
        if isinstance(event, LlmCallFinished):
            begun.pop(event.call_id, None)
    return list(begun.values())


def _unfinished(events: Sequence[AnyRunEvent]) -> list[str]:
    """Messages that were begun and never finished, in order."""
    begun = dict.fromkeys(e.message_id for e in events if isinstance(e, LlmCallStarted))
    for event in events:
        if isinstance(event, AnswerFinished):
            begun.pop(event.message_id, None)
    return list(begun)


def _cut(message_id: str, answer: Streamed) -> AnswerFinished:
    return AnswerFinished(
        message_id=message_id, status="partial", text=answer.text, reasoning=answer.reasoning
    )


def _used(events: Sequence[AnyRunEvent]) -> tuple[ModelUsage, ...]:
    """What the run used, by model."""
    tally = Tally()
    started = {e.call_id: e for e in events if isinstance(e, LlmCallStarted)}
    for event in events:
        if isinstance(event, LlmCallFinished):
            tally.add(started[event.call_id], event)
    return tally.usage()
