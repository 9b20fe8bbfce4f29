"""What calls were measured to have used while the database could not be told, kept on disk.

One file for each run, a line for each call. Written when a batch could not be stored, read when
the run is ended by recovery, removed once its calls are settled.
"""

from __future__ import annotations

import asyncio
import os
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final, Protocol
from uuid import UUID

import msgspec
import structlog

from callsheet.events.call import LlmCallFinished
from callsheet.events.union import dump_event, parse_event

log = structlog.get_logger(__name__)

Measured = tuple[UUID, LlmCallFinished]
"""A call's end and the run that it belongs to."""

_SUFFIX: Final = ".jsonl"


class Spool(Protocol):
    """Keeps the ends of calls beside the database. Nothing here raises: it is the last net."""

    async def keep(self, measured: Sequence[Measured]) -> None:
        """Write them down; one that is kept already may be given again."""
        ...

    async def runs(self) -> tuple[UUID, ...]:
        """The runs of which something is kept."""
        ...

    async def of(self, run_id: UUID) -> dict[str, LlmCallFinished]:
        """What is kept of a run, by call."""
        ...

    async def drop(self, run_id: UUID) -> None:
        """It is in the database now."""
        ...


class DiskSpool:
    """Implements `Spool` in a folder that is made when it is first needed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def keep(self, measured: Sequence[Measured]) -> None:
        """Append and flush to the disk."""
        try:
            await asyncio.to_thread(self._append, measured)
        except Exception:  # border: a full disk, or an event that cannot be written at all
            log.exception("usage_not_kept", calls=len(measured))

    async def runs(self) -> tuple[UUID, ...]:
        """By the names of the files; none where the folder cannot be read."""
        try:
            return await asyncio.to_thread(lambda: tuple(_ids(self._folder)))
        except OSError:
            log.exception("spool_not_read", folder=str(self._folder))
            return ()

    async def of(self, run_id: UUID) -> dict[str, LlmCallFinished]:
        """A line that was cut by a crash is left out."""
        return await asyncio.to_thread(self._read, run_id)

    async def drop(self, run_id: UUID) -> None:
        """Remove the run's file. One that stays is booked again later, which changes nothing."""
        try:
            await asyncio.to_thread(self._file(run_id).unlink, missing_ok=True)
        except OSError:
            log.exception("spool_not_emptied", run_id=str(run_id))

    def _file(self, run_id: UUID) -> Path:
        return self._folder / f"{run_id}{_SUFFIX}"

    def _append(self, measured: Iterable[Measured]) -> None:
        by_run: defaultdict[UUID, list[LlmCallFinished]] = defaultdict(list)
        for run_id, event in measured:
            by_run[run_id].append(event)
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for run_id, events in by_run.items():
            with self._file(run_id).open("ab") as file:
                # A line of its own also behind one that a crash cut.
                file.write(b"".join(b"\n" + dump_event(event) for event in events) + b"\n")
                file.flush()
                os.fsync(file.fileno())

    def _read(self, run_id: UUID) -> dict[str, LlmCallFinished]:
        found: dict[str, LlmCallFinished] = {}
        try:
            lines = self._file(run_id).read_bytes().splitlines()
        except OSError:
            return found
        for line in filter(None, lines):
            try:
                event = parse_event(line)
            except (msgspec.DecodeError, msgspec.ValidationError):
                log.warning("usage_line_cut", run_id=str(run_id))
                continue
            if isinstance(event, LlmCallFinished):
                found[event.call_id] = event
        return found


def _ids(folder: Path) -> Iterable[UUID]:
    if not folder.is_dir():
        return
    for file in folder.glob(f"*{_SUFFIX}"):
        try:
            yield UUID(file.stem)
        except ValueError:
            log.warning("not_a_run", file=file.name)
