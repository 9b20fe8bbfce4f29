"""Whatever two connections do, a run's events are stored and shown once each, in their order."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from uuid import UUID

from hypothesis import given, settings
from hypothesis import strategies as st

from callsheet.events.call import LlmCallFinished
from callsheet.events.entry import Entry
from callsheet.events.text import TextDelta
from callsheet.events.usage import MeteredUsage, Usage
from callsheet.journal.changes import Changes, RunKeys
from callsheet.journal.options import JournalOptions
from callsheet.journal.run_log import JournaledRun
from callsheet.journal.spool import Measured
from callsheet.journal.writer import JournalWriter
from callsheet.journal.written import Written
from callsheet.kit.clock import SystemClock
from callsheet.kit.errors import Unavailable
from callsheet.kit.ids import new_id

RUNS = 4
NOTHING = MeteredUsage(usage=Usage(), source="none")
Rounds = st.integers(min_value=0, max_value=6)


@dataclass(frozen=True, slots=True)
class Write:
    """How one write goes: how many rounds of the loop it takes, and whether it comes through."""

    rounds: int
    outcome: str


WRITES = st.lists(
    st.builds(Write, rounds=Rounds, outcome=st.sampled_from(("ok", "ok", "lost", "late"))),
    max_size=30,
)


async def wait(rounds: int) -> None:
    for _ in range(rounds):
        await asyncio.sleep(0)


@dataclass
class Disk:
    """Where both connections store: the last seq of each run, and the calls that were measured."""

    seqs: dict[UUID, int] = field(default_factory=lambda: defaultdict(int))
    calls: set[str] = field(default_factory=set)
    under_way: set[UUID] = field(default_factory=set)


class ScriptedStore:
    """A connection whose writes go as they are told to, and then all go well."""

    def __init__(self, disk: Disk, script: Sequence[Write]) -> None:
        self._disk = disk
        self._script = list(script)

    async def write(self, entries: list[tuple[UUID, Entry]], changes: Changes) -> Written:
        del changes
        how = self._script.pop(0) if self._script else Write(0, "ok")
        runs = {run_id for run_id, _ in entries}
        assert self._disk.under_way.isdisjoint(runs), "a run is in two commits at a time"
        self._disk.under_way |= runs
        await wait(how.rounds)
        self._disk.under_way -= runs
        if how.outcome == "lost":
            raise Unavailable("before the commit")
        self._store(entries)
        if how.outcome == "late":
            raise Unavailable("after the commit")
        return Written()

    def _store(self, entries: list[tuple[UUID, Entry]]) -> None:
        for run_id, entry in entries:
            last = self._disk.seqs[run_id]
            assert entry.seq <= last + 1, "an event is missing before it"
            self._disk.seqs[run_id] = max(last, entry.seq)
            if isinstance(entry.event, LlmCallFinished):
                self._disk.calls.add(entry.event.call_id)


class SlowSpool:
    """Implements `Spool`: what it does is done some rounds after it was asked to.

    Whenever it has done all, every call is on file that it was given and that is not stored.
    """

    def __init__(self, disk: Disk, rounds: Sequence[int]) -> None:
        self.files: dict[UUID, set[str]] = defaultdict(set)
        self._disk = disk
        self._rounds = list(rounds)
        self._given: set[str] = set()
        self._asked = 0

    async def keep(self, measured: Sequence[Measured]) -> None:
        self._given |= {event.call_id for _, event in measured}
        async with self._later():
            for run_id, event in measured:
                self.files[run_id].add(event.call_id)

    async def runs(self) -> tuple[UUID, ...]:
        return tuple(self.files)

    async def of(self, run_id: UUID) -> dict[str, LlmCallFinished]:
        raise AssertionError("the writer does not read it")

    async def drop(self, run_id: UUID) -> None:
        async with self._later():
            self.files.pop(run_id, None)

    @asynccontextmanager
    async def _later(self) -> AsyncIterator[None]:
        self._asked += 1
        await wait(self._rounds.pop(0) if self._rounds else 0)
        yield
        self._asked -= 1
        on_file = set[str]().union(*self.files.values())
        assert self._asked or self._given <= on_file | self._disk.calls, "usage is kept nowhere"


@dataclass
class Stage:
    """A writer on two connections, and what viewers were shown."""

    writer: JournalWriter
    disk: Disk
    spool: SlowSpool
    shown: list[tuple[UUID, int]]

    @classmethod
    def of(cls, scripts: Sequence[Sequence[Write]], spooling: Sequence[int]) -> Stage:
        disk = Disk()
        spool = SlowSpool(disk, spooling)
        shown: list[tuple[UUID, int]] = []

        def publish(run_id: UUID, entries: tuple[Entry, ...]) -> None:
            assert disk.seqs[run_id] >= entries[-1].seq, "shown before it is stored"
            shown.extend((run_id, entry.seq) for entry in entries)

        writer = JournalWriter(
            [ScriptedStore(disk, script) for script in scripts],
            publish,
            SystemClock(),
            JournalOptions(linger_s=0, retry_for_s=60, retry_first_s=0, retry_most_s=0),
            spool,
        )
        return cls(writer, disk, spool, shown)

    async def play(self, pauses: Sequence[int]) -> list[JournaledRun]:
        """Several runs speak at once, pausing between their events; then the writer is closed."""
        runs = [self.writer.open(RunKeys(new_id(), new_id(), new_id())) for _ in range(RUNS)]
        async with asyncio.timeout(30), asyncio.TaskGroup() as group:
            group.create_task(self.writer.run())
            async with asyncio.TaskGroup() as speaking:
                for number, run in enumerate(runs):
                    speaking.create_task(speak(run, pauses[number::RUNS]))
            self.writer.close()
        return runs


async def speak(run: JournaledRun, pauses: Sequence[int]) -> None:
    for number, rounds in enumerate(pauses):
        run.append(TextDelta(message_id=str(number), text="x"))
        await wait(rounds)
        run.append(measured())
        if rounds % 2:
            await run.stored()


def measured() -> LlmCallFinished:
    return LlmCallFinished(
        call_id=str(new_id()),
        message_id=str(new_id()),
        status="settled",
        metered=NOTHING,
        cost_native=Decimal(0),
        cost_exact=Decimal(0),
        latency_ms=1,
    )


@settings(max_examples=150, deadline=None)
@given(
    scripts=st.tuples(WRITES, WRITES),
    pauses=st.lists(Rounds, max_size=40),
    spooling=st.lists(st.integers(min_value=0, max_value=60), max_size=20),
)
def test_every_event_is_stored_and_shown_once_in_order(
    scripts: tuple[list[Write], list[Write]], pauses: list[int], spooling: list[int]
) -> None:
    stage = Stage.of(scripts, spooling)
    runs = asyncio.run(stage.play(pauses))
    for number, run in enumerate(runs):
        seqs = [seq for run_id, seq in stage.shown if run_id == run.keys.run_id]
        assert seqs == list(range(1, 2 * len(pauses[number::RUNS]) + 1))
    assert not any(stage.spool.files.values()), "what is stored is not kept any longer"
