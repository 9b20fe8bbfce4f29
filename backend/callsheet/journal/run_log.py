"""The journal of one run while it runs: numbers events and waits for them to be stored."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from callsheet.events.call import LlmCallFinished
from callsheet.events.entry import Entry
from callsheet.events.reasoning import ReasoningDelta
from callsheet.events.steered import Steered
from callsheet.events.text import TextDelta
from callsheet.events.tool import ToolCallArgs, ToolCallStarted
from callsheet.events.union import TERMINAL, AnyRunEvent
from callsheet.journal.changes import RunKeys
from callsheet.journal.ended_beside import EndedBeside
from callsheet.journal.written import Fenced, Written
from callsheet.kit.clock import Clock
from callsheet.kit.errors import Unavailable
from callsheet.ledger.budget.refusal import Refusal

MAX_DELTA_CHARS: Final = 16_384

_URGENT: Final = (TextDelta, ReasoningDelta, ToolCallStarted, ToolCallArgs, *TERMINAL)


class JournaledRun:
    """Implements `turn.ports.RunLog`.

    Adjacent deltas of one entity that wait together become one event. Used from the event loop
    only; `touched` tells the writer that there is something to store, and whether somebody waits
    for it: a viewer for text, or the run itself.
    """

    def __init__(
        self,
        keys: RunKeys,
        clock: Clock,
        touched: Callable[[JournaledRun, bool], None],
        stored_seq: int = 0,
    ) -> None:
        self.keys = keys
        self._seqs: dict[str, int] = {}
        self._refusals: dict[str, Refusal] = {}
        self._clock = clock
        self._touched = touched
        self._pending: list[Entry] = []
        self._next_seq = stored_seq + 1
        self._stored_seq = stored_seq
        self._last_at: datetime | None = None
        self._waiters: list[tuple[int, asyncio.Future[None]]] = []
        self._failure: Unavailable | None = None
        self._unstored: list[LlmCallFinished] = []
        self._when_taken: Callable[[], object] | None = None
        self._beside: dict[str, EndedBeside] = {}

    def append(self, event: AnyRunEvent) -> Entry:
        """Number the event and queue it; joined with the last one where both are deltas."""
        if self._failure is not None:
            self._keep([event])
            raise self._failure
        entry = self._joined(event)
        if entry is not None:
            self._pending[-1] = entry
            return entry
        entry = Entry(self._next_seq, self._moment(), event)
        self._next_seq += 1
        self._pending.append(entry)
        if len(self._pending) == 1 or isinstance(event, _URGENT):
            self._touched(self, isinstance(event, _URGENT))
        return entry

    async def stored(self) -> None:
        """Return once everything appended so far is committed."""
        if self._failure is not None:
            raise self._failure
        target = self._next_seq - 1
        if self._stored_seq >= target:
            return
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiters.append((target, waiter))
        self._touched(self, True)  # noqa: FBT003 - a callback
        await waiter

    def message_seq(self, message_id: str) -> int:
        """The `messages.seq` of a message; 0 while its first event is not stored."""
        return self._seqs.get(message_id, 0)

    def refusal(self, call_id: str) -> Refusal | None:
        """Why the call has no ledger row, known once its start is stored; None where it has one."""
        return self._refusals.get(call_id)

    def unstored(self) -> Sequence[LlmCallFinished]:
        """The ends of calls that came too late to be stored: the journal had failed."""
        return self._unstored

    def when_taken(self, stop: Callable[[], object]) -> None:
        """Call `stop` where the run turns out to be another's and nobody waits to be told so."""
        self._when_taken = stop

    def end_beside(self, other: EndedBeside) -> None:
        """Have that run end together with what is to come, the `Steered` of its message."""
        self._beside[str(other.keys.run_id)] = other

    def _keep(self, events: Iterable[AnyRunEvent]) -> None:
        self._unstored += [event for event in events if isinstance(event, LlmCallFinished)]

    # -- for the writer ------------------------------------------------------------------------

    def take(self) -> list[Entry]:
        """All that waits to be stored; it is the writer's now."""
        taken, self._pending = self._pending, []
        return taken

    def measured(self) -> list[LlmCallFinished]:
        """The ends of calls among what waits to be stored."""
        return [e.event for e in self._pending if isinstance(e.event, LlmCallFinished)]

    def written(self, taken: Iterable[Entry]) -> Iterator[tuple[RunKeys, Entry]]:
        """All that is to be stored with these entries, and of which run it is."""
        for entry in taken:
            yield self.keys, entry
            other = self._ended_by(entry)
            if other is not None:
                yield from other.written(entry)

    def shown(self, stored: Sequence[Entry]) -> Iterator[tuple[UUID, tuple[Entry, ...]]]:
        """What those who look on are told now, and of which run it is."""
        yield self.keys.run_id, tuple(stored)
        for entry in stored:
            other = self._ended_by(entry)
            if other is not None:
                other.stored()
                yield other.keys.run_id, other.entries(entry)

    def _ended_by(self, entry: Entry) -> EndedBeside | None:
        steered = entry.event
        return self._beside.get(steered.run_id) if isinstance(steered, Steered) else None

    def take_in(self, written: Written) -> None:
        """What the database said of the batch that held the entries."""
        self._seqs.update(written.seqs)
        self._refusals.update(written.refusals)

    def confirm(self, entries: list[Entry]) -> None:
        """The entries are committed."""
        if not entries:
            return
        self._stored_seq = entries[-1].seq
        still: list[tuple[int, asyncio.Future[None]]] = []
        for target, waiter in self._waiters:
            if target > self._stored_seq:
                still.append((target, waiter))
            elif not waiter.done():
                waiter.set_result(None)
        self._waiters = still

    def fail(self, error: Unavailable) -> None:
        """The entries cannot be stored: nothing more is taken, whoever waits is told.

        What waits behind them is dropped: a journal has no gaps.
        """
        self._failure = error
        self._keep(entry.event for entry in self._pending)
        self._pending = []
        waiting = [waiter for _, waiter in self._waiters if not waiter.done()]
        self._waiters = []
        for waiter in waiting:
            waiter.set_exception(error)
        if isinstance(error, Fenced) and not waiting and self._when_taken is not None:
            self._when_taken()

    def _moment(self) -> datetime:
        now = self._clock.now()
        if self._last_at is not None and now < self._last_at:
            now = self._last_at
        self._last_at = now
        return now

    def _joined(self, event: AnyRunEvent) -> Entry | None:
        if not self._pending:
            return None
        last = self._pending[-1]
        before = last.event
        if (
            isinstance(event, TextDelta)
            and isinstance(before, TextDelta)
            and before.message_id == event.message_id
            and len(before.text) < MAX_DELTA_CHARS
        ):
            joined: AnyRunEvent = TextDelta(
                message_id=event.message_id, text=before.text + event.text
            )
        elif (
            isinstance(event, ReasoningDelta)
            and isinstance(before, ReasoningDelta)
            and before.message_id == event.message_id
            and len(before.text) < MAX_DELTA_CHARS
        ):
            joined = ReasoningDelta(message_id=event.message_id, text=before.text + event.text)
        elif (
            isinstance(event, ToolCallArgs)
            and isinstance(before, ToolCallArgs)
            and before.tool_call_id == event.tool_call_id
            and len(before.text) < MAX_DELTA_CHARS
        ):
            joined = ToolCallArgs(tool_call_id=event.tool_call_id, text=before.text + event.text)
        else:
            return None
        return Entry(last.seq, last.at, joined)
