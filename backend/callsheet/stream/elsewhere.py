"""Runs that are looked at here and written by other processes."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from callsheet.events.entry import Entry
from callsheet.events.union import TERMINAL
from callsheet.stream.local import LocalBroker
from callsheet.stream.protocol import JournalReader

PAGE: Final = 250
"""Entries of one run that are read in one step."""


@dataclass(slots=True)
class _Run:
    """`last`: what its viewers have read by themselves or were handed; None: none has yet."""

    last: int | None = None
    is_woken: bool = False


class Elsewhere:
    """Reads each run's journal once for all its viewers here, whenever it is woken.

    What is handed on may have a gap, or come twice: each viewer sees that by itself, and makes it
    good from the journal.
    """

    def __init__(self, local: LocalBroker, journal: JournalReader) -> None:
        self._local = local
        self._journal = journal
        self._runs: dict[UUID, _Run] = {}
        self._wake = asyncio.Event()

    def ids(self) -> tuple[UUID, ...]:
        """The runs that are read here."""
        return tuple(self._runs)

    def has(self, run_id: UUID) -> bool:
        """Whether the run is one of them."""
        return run_id in self._runs

    def add(self, run_id: UUID) -> bool:
        """Read this one too; whether that is new."""
        if run_id in self._runs:
            return False
        self._runs[run_id] = _Run(self._local.last_seen(run_id))
        return True

    def drop(self, run_id: UUID) -> None:
        """Do not read it any more; safe to call twice."""
        self._runs.pop(run_id, None)

    def caught_up(self, run_id: UUID, seq: int) -> None:
        """A viewer has read it up to `seq`: what follows is to be read for all."""
        run = self._runs.get(run_id)
        if run is None:
            return
        run.last = max(run.last or 0, seq)
        if run.is_woken:
            self._wake.set()

    def wake(self, *run_ids: UUID) -> None:
        """There may be more of these."""
        for run_id in run_ids:
            run = self._runs.get(run_id)
            if run is not None:
                run.is_woken = True
                self._wake.set()

    def handed(self, run_id: UUID, entries: tuple[Entry, ...]) -> None:
        """What was committed elsewhere came by itself; where something is missing, it is read."""
        run = self._runs.get(run_id)
        if run is None:
            return
        if run.last is None or entries[0].seq > run.last + 1:
            self.wake(run_id)
        else:
            self._show(run_id, run, entries)

    def _show(self, run_id: UUID, run: _Run, entries: tuple[Entry, ...]) -> None:
        fresh = tuple([entry for entry in entries if entry.seq > (run.last or 0)])
        if not fresh:
            return
        run.last = fresh[-1].seq
        self._local.publish(run_id, fresh)
        if isinstance(fresh[-1].event, TERMINAL):
            self.drop(run_id)

    async def run(self) -> None:
        """Read what is woken until cancelled.

        Raises:
            AppError: the journal cannot be read; what was woken still is.
        """
        while True:
            await self._wake.wait()
            self._wake.clear()
            await self._read()

    async def _read(self) -> None:
        while woken := {
            run_id: run.last
            for run_id, run in self._runs.items()
            if run.is_woken and run.last is not None
        }:
            for run_id in woken:
                self._runs[run_id].is_woken = False
            try:
                found = await self._journal.after_each(woken, PAGE)
            except BaseException:
                self.wake(*woken)
                raise
            for run_id, entries in found.items():
                run = self._runs.get(run_id)
                if run is not None:
                    run.is_woken = run.is_woken or len(entries) >= PAGE
                    self._show(run_id, run, entries)
