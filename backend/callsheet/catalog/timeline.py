"""Which price rows to add, close or drop, so that the stored time line says what is wanted.

Pure: looks at rows, answers with steps. The rows are those of one model and one window.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final
from uuid import UUID

from callsheet.catalog.price import PriceEntry, Terms

BEGINNING: Final = datetime.min.replace(tzinfo=UTC)
FOREVER: Final = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class StoredPrice:
    """Rows of one period, one for each tier: valid from `start` until just before `end`.

    `BEGINNING` and `FOREVER` are open ends. `by_hand`: somebody entered it; the file never
    touches it. `used`: a ledger row points at one of them.
    """

    ids: tuple[UUID, ...]
    start: datetime
    end: datetime
    terms: tuple[Terms, ...]
    used: bool
    by_hand: bool
    verified: bool = False


@dataclass(frozen=True, slots=True)
class AddPrice:
    """Begin to charge what `entry` says, from `start` until `end`."""

    entry: PriceEntry
    start: datetime
    end: datetime


@dataclass(frozen=True, slots=True)
class ClosePrice:
    """The rows `ids` are valid until just before `end`."""

    ids: tuple[UUID, ...]
    end: datetime


@dataclass(frozen=True, slots=True)
class DropPrice:
    """The rows `ids` were never used and are not wanted."""

    ids: tuple[UUID, ...]


@dataclass(frozen=True, slots=True)
class MarkPrice:
    """The rows `ids` were, or were not, compared with the vendor's list."""

    ids: tuple[UUID, ...]
    verified: bool


Step = AddPrice | ClosePrice | DropPrice | MarkPrice


def plan_prices(
    entries: Sequence[PriceEntry], rows: Sequence[StoredPrice], now: datetime
) -> list[Step]:
    """The steps for all entries, in the order in which to take them.

    What a used row charged in the past stays: a change begins now, or when the entry says,
    if that is later.
    """
    steps: list[Step] = []
    current = sorted(rows, key=lambda row: row.start)
    ordered = sorted(entries, key=lambda entry: entry.valid_from)
    ends = [*(entry.valid_from for entry in ordered[1:]), FOREVER]
    for entry, end in zip(ordered, ends, strict=True):
        current, more = _plan_entry(entry, end, current, now)
        # What somebody verified stays so, though the list was not told.
        steps += [step for step in more if not (isinstance(step, MarkPrice) and not step.verified)]
    return steps


def plan_change(entry: PriceEntry, rows: Sequence[StoredPrice]) -> list[Step]:
    """The steps that let the entry hold from `valid_from` until the next stored price begins.

    Whoever entered the rows: the one that is valid then is closed. Nothing was booked since
    `valid_from`, or it is now or later.
    """
    current = sorted((replace(row, by_hand=False) for row in rows), key=lambda row: row.start)
    later = (row.start for row in current if row.start > entry.valid_from)
    _, steps = _plan_entry(entry, min(later, default=FOREVER), current, entry.valid_from)
    return steps


def known_elsewhere(rows: Sequence[StoredPrice], until: datetime) -> list[StoredPrice]:
    """The rows as they count while other processes work, which know of a change only at `until`.

    What they may quote before that can be booked at any moment: it counts as used.
    """
    return [replace(row, used=row.used or row.start < until) for row in rows]


def holds_already(entry: PriceEntry, rows: Sequence[StoredPrice]) -> bool:
    """Whether what is stored charges the same at `valid_from`."""
    return any(row.start <= entry.valid_from < row.end and row.terms == entry.terms for row in rows)


def _plan_entry(
    entry: PriceEntry, end: datetime, current: list[StoredPrice], now: datetime
) -> tuple[list[StoredPrice], list[Step]]:
    start, left, steps = _make_room(entry, end, current, now)
    steps += [
        MarkPrice(row.ids, entry.verified)
        for row in left
        if _says(row, entry, end) and row.verified != entry.verified
    ]
    steps += [AddPrice(entry, begin, until) for begin, until in _gaps(start, end, left)]
    return left, steps


def _says(row: StoredPrice, entry: PriceEntry, end: datetime) -> bool:
    """True when the row is this entry, stored before."""
    overlaps = row.start < end and row.end > entry.valid_from
    return overlaps and not row.by_hand and row.terms == entry.terms


def _make_room(
    entry: PriceEntry, end: datetime, rows: list[StoredPrice], now: datetime
) -> tuple[datetime, list[StoredPrice], list[Step]]:
    """Close or drop the rows that say otherwise; from when on the entry can then hold."""
    unlike = [
        row
        for row in rows
        if not row.by_hand
        and row.terms != entry.terms
        and row.start < end
        and row.end > entry.valid_from
    ]
    start = max(entry.valid_from, now) if any(row.used for row in unlike) else entry.valid_from
    left, steps = [], list[Step]()
    for row in rows:
        began_too_late = row.used and row.start >= start  # it is charged already: it stays
        if row not in unlike or row.end <= start or row.start >= end or began_too_late:
            left.append(row)
        elif row.start < start:
            steps.append(ClosePrice(row.ids, start))
            left.append(replace(row, end=start))
        else:
            steps.append(DropPrice(row.ids))
    return start, left, steps


def _gaps(
    start: datetime, end: datetime, rows: Sequence[StoredPrice]
) -> list[tuple[datetime, datetime]]:
    """The parts of start..end that no row covers."""
    gaps = []
    for row in rows:
        if row.end <= start or row.start >= end:
            continue
        if row.start > start:
            gaps.append((start, row.start))
        start = max(start, row.end)
    if start < end:
        gaps.append((start, end))
    return gaps
