"""Which price rows to add, close or drop, so that the stored time line says what the file says.

Pure: looks at rows, answers with steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final
from uuid import UUID

from callsheet.catalog.price import PriceEntry, Rates

FOREVER: Final = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class StoredPrice:
    """A row: valid from `start` until just before `end` (`FOREVER`: open).

    `by_hand`: somebody entered it; the file never touches it. `used`: a ledger row points at it.
    """

    id: UUID
    start: datetime
    end: datetime
    rates: Rates
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
    """The row `id` is valid until just before `end`."""

    id: UUID
    end: datetime


@dataclass(frozen=True, slots=True)
class DropPrice:
    """The row `id` was never used and is not wanted."""

    id: UUID


@dataclass(frozen=True, slots=True)
class MarkPrice:
    """The row `id` was, or was not, compared with the vendor's list."""

    id: UUID
    verified: bool


Step = AddPrice | ClosePrice | DropPrice | MarkPrice


def plan_prices(
    entries: Sequence[PriceEntry], rows: Sequence[StoredPrice], now: datetime
) -> list[Step]:
    """The steps for the entries and rows of one model, in the order in which to take them.

    What a used row charged in the past stays: a change begins now, or when the entry says,
    if that is later.
    """
    steps: list[Step] = []
    current = sorted(rows, key=lambda row: row.start)
    ordered = sorted(entries, key=lambda entry: entry.valid_from)
    ends = [*(entry.valid_from for entry in ordered[1:]), FOREVER]
    for entry, end in zip(ordered, ends, strict=True):
        start, current, cleared = _make_room(entry, end, current, now)
        steps += cleared
        steps += [
            MarkPrice(row.id, entry.verified)
            for row in current
            if _says(row, entry, end) and row.verified != entry.verified
        ]
        steps += [AddPrice(entry, begin, until) for begin, until in _gaps(start, end, current)]
    return steps


def _says(row: StoredPrice, entry: PriceEntry, end: datetime) -> bool:
    """True when the row is this entry, stored before."""
    overlaps = row.start < end and row.end > entry.valid_from
    return overlaps and not row.by_hand and row.rates == entry.rates


def _make_room(
    entry: PriceEntry, end: datetime, rows: list[StoredPrice], now: datetime
) -> tuple[datetime, list[StoredPrice], list[Step]]:
    """Close or drop the rows that say otherwise; from when on the entry can then hold."""
    unlike = [
        row
        for row in rows
        if not row.by_hand
        and row.rates != entry.rates
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
            steps.append(ClosePrice(row.id, start))
            left.append(replace(row, end=start))
        else:
            steps.append(DropPrice(row.id))
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
