"""What a report says of a group of calls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from decimal import Decimal
from typing import Any

from callsheet.ledger.report.column import Column

_ZERO = Decimal(0)


@dataclass(frozen=True, slots=True)
class Sums:
    """Calls, tokens and money of a group, in the accounting currency.

    `cost` is all that is booked; `estimated_cost` is the part of it whose tokens no provider
    counted. What unpriced calls cost is not known: their tokens stand in `unpriced_tokens` and
    their cost in no sum. Open calls have not ended: `reserved_cost` is what is held for them.
    """

    calls: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    cache_write_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0
    cost: Decimal = _ZERO
    estimated_calls: int = 0
    estimated_cost: Decimal = _ZERO
    unpriced_calls: int = 0
    unpriced_tokens: int = 0
    open_calls: int = 0
    reserved_cost: Decimal = _ZERO

    @property
    def values(self) -> tuple[Any, ...]:
        """The numbers, in the order of `COLUMNS`."""
        return tuple(getattr(self, column.name) for column in COLUMNS)

    def plus(self, other: Sums) -> Sums:
        """The sum of two groups."""
        return Sums(*(mine + its for mine, its in zip(self.values, other.values, strict=True)))


COLUMNS = tuple(
    Column(each.name, "money" if each.name.endswith("cost") else "count") for each in fields(Sums)
)


@dataclass(frozen=True, slots=True)
class Group:
    """One row: the values of the dimensions, and the sums of the calls that have them."""

    keys: tuple[Any, ...]
    currency: str
    sums: Sums


@dataclass(frozen=True, slots=True)
class Report:
    """`keys` are the columns of the dimensions; `corrections` are what bills said otherwise.

    `corrections` (`cost_adjustments` of the period, by currency) are in no row: None where the
    report looks at a user or a session, which no bill knows.
    """

    keys: tuple[Column, ...]
    groups: tuple[Group, ...]
    corrections: tuple[tuple[str, Decimal], ...] | None = None

    @property
    def columns(self) -> tuple[Column, ...]:
        """Every column of a row, in order."""
        return (*self.keys, Column("currency", "text"), *COLUMNS)

    @property
    def rows(self) -> Iterator[tuple[Any, ...]]:
        """Every group as the values of `columns`."""
        return (row_of(group) for group in self.groups)

    @property
    def totals(self) -> tuple[Group, ...]:
        """The sum of all groups, one for each currency: there is one, unless something is wrong."""
        return total(self.groups)


def row_of(group: Group) -> tuple[Any, ...]:
    """The values of a group, in the order of a report's columns."""
    return (*group.keys, group.currency, *group.sums.values)


def total(groups: Iterable[Group]) -> tuple[Group, ...]:
    """The groups of each currency added up."""
    sums: dict[str, Sums] = {}
    for group in groups:
        sums[group.currency] = sums.get(group.currency, Sums()).plus(group.sums)
    return tuple(Group((), currency, each) for currency, each in sorted(sums.items()))
