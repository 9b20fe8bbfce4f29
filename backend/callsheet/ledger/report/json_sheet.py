"""Rows as JSON: objects with the columns' names, money as decimal strings."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any, BinaryIO

from callsheet.kit.json import encode
from callsheet.kit.money import plain
from callsheet.ledger.report.column import Column, Row
from callsheet.ledger.report.period import Period
from callsheet.ledger.report.sums import COLUMNS, Report


class JsonLinesSheet:
    """One object a line. `stream` takes bytes and is not closed."""

    def __init__(self, stream: BinaryIO, columns: Sequence[Column]) -> None:
        self._names = [column.name for column in columns]
        self._stream = stream

    def write(self, rows: Sequence[Row]) -> None:
        """Add rows; what is not known is null."""
        self._stream.write(b"".join(encode(as_object(self._names, row)) + b"\n" for row in rows))

    def close(self) -> None:
        """Nothing is missing."""


def report_json(report: Report, period: Period) -> bytes:
    """The whole report as one document."""
    names = [column.name for column in report.columns]
    sums = ["currency", *(column.name for column in COLUMNS)]
    document = {
        "period": {
            "from": period.first.isoformat(),
            "to": period.last.isoformat(),
            "zone": period.zone.key,
        },
        "rows": [as_object(names, row) for row in report.rows],
        "totals": [as_object(sums, (each.currency, *each.sums.values)) for each in report.totals],
    }
    if report.corrections is not None:
        document["corrections"] = [
            {"currency": currency, "amount": plain(amount)}
            for currency, amount in report.corrections
        ]
    return encode(document) + b"\n"


def as_object(names: Sequence[str], row: Row) -> dict[str, Any]:
    """The row by its columns' names; decimals without exponent."""
    return {
        name: plain(value) if isinstance(value, Decimal) else value
        for name, value in zip(names, row, strict=True)
    }
