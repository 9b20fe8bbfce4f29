"""Rows as CSV that a spreadsheet can open without running anything."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any, BinaryIO, Final

from callsheet.kit.money import plain
from callsheet.kit.text import clean, printable
from callsheet.ledger.report.column import Column, Kind, Row

# What makes a spreadsheet take a cell for a formula.
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n")


class CsvSheet:
    """A header and one line a row; numbers are plain text without exponent, moments ISO 8601.

    UTF-8, with the line ends of RFC 4180. `stream` is not closed.
    """

    def __init__(self, stream: BinaryIO, columns: Sequence[Column]) -> None:
        self._texts = [_TEXTS[column.kind] for column in columns]
        self._out = io.TextIOWrapper(stream, "utf-8", newline="")
        self._writer = csv.writer(self._out, lineterminator="\r\n")
        self._writer.writerow([column.name for column in columns])
        self._out.flush()

    def write(self, rows: Sequence[Row]) -> None:
        """Add rows; what is not known is an empty cell."""
        self._writer.writerows(
            [
                "" if value is None else text(value)
                for text, value in zip(self._texts, row, strict=True)
            ]
            for row in rows
        )
        self._out.flush()

    def close(self) -> None:
        """Leave the stream to its owner."""
        self._out.detach()


def cell(text: str) -> str:
    """The text as no spreadsheet takes it for a formula: a quote before what would begin one.

    Nor does it command the terminal that it is shown on.
    """
    kept = printable(clean(text))
    return f"'{kept}" if kept.startswith(_FORMULA) else kept


def _day(value: date) -> str:
    return value.isoformat()


def _moment(value: datetime) -> str:
    return value.isoformat().replace("+00:00", "Z")


def _amount(value: Decimal) -> str:
    return plain(value)


def _flag(value: bool) -> str:  # noqa: FBT001 - one of the kinds of values
    return "true" if value else "false"


_TEXTS: Final[dict[Kind, Callable[[Any], str]]] = {
    "text": cell,
    "count": str,
    "money": _amount,
    "rate": _amount,
    "day": _day,
    "moment": _moment,
    "flag": _flag,
}
