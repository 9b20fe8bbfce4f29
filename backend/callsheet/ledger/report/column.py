"""A column of a sheet, whatever file the sheet becomes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias

Kind = Literal["text", "count", "money", "rate", "day", "moment", "flag"]
"""`money` has 12 decimal places, `rate` 18; `moment` is aware UTC."""

Row: TypeAlias = Sequence[Any]
"""The values of a row in the order of its columns; None where nothing is known."""


@dataclass(frozen=True, slots=True)
class Column:
    """Its name, in the words of the tables, and what its values are."""

    name: str
    kind: Kind


class Sheet(Protocol):
    """Rows on their way into a file; `close` completes it."""

    def write(self, rows: Sequence[Row]) -> None:
        """Add rows."""
        ...

    def close(self) -> None:
        """Write what is still missing; the sheet takes no more rows."""
        ...


def batches(rows: Iterator[Row], size: int = 1000) -> Iterator[list[Row]]:
    """The rows in lists of `size`; the last one may be shorter."""
    batch: list[Row] = []
    for row in rows:
        batch.append(row)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch
