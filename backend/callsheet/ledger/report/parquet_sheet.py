"""Rows as Parquet: money is DECIMAL, moments are UTC timestamps."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, BinaryIO, Final

from callsheet.kit.errors import SetupError
from callsheet.ledger.report.column import Column, Kind, Row

# Rows of one group of the file: enough for a reader to skip by, little enough to hold.
GROUP_ROWS: Final = 50_000
_RATE: Final = Decimal(1).scaleb(-18)
_DIGITS: Final = 38
_MISSING: Final = (
    "Parquet needs pyarrow, which is not installed: pip install 'callsheet[parquet]'. "
    "CSV and JSON need nothing."
)


class ParquetSheet:
    """Raises SetupError where pyarrow is not installed. `stream` is not closed."""

    def __init__(
        self, stream: BinaryIO, columns: Sequence[Column], group_rows: int = GROUP_ROWS
    ) -> None:
        try:
            # An extra, and 0.3 s to import: only who writes such a file pays for it.
            import pyarrow as pa  # noqa: PLC0415
            from pyarrow import parquet  # noqa: PLC0415
        except ImportError as error:
            raise SetupError(_MISSING) from error
        kinds: dict[Kind, Any] = {
            "text": pa.string(),
            "count": pa.int64(),
            "money": pa.decimal128(_DIGITS, 12),
            "rate": pa.decimal128(_DIGITS, 18),
            "day": pa.date32(),
            "moment": pa.timestamp("us", tz="UTC"),
            "flag": pa.bool_(),
        }
        self._arrow = pa
        self._group_rows = group_rows
        self._columns = tuple(columns)
        self._schema = pa.schema([(column.name, kinds[column.kind]) for column in columns])
        self._writer = parquet.ParquetWriter(stream, self._schema, compression="zstd")
        self._held: list[Row] = []

    def write(self, rows: Sequence[Row]) -> None:
        """Add rows; what is not known is null."""
        self._held.extend(rows)
        if len(self._held) >= self._group_rows:
            self._flush()

    def close(self) -> None:
        """Write what is held and the file's end."""
        if self._held:
            self._flush()
        self._writer.close()

    def _flush(self) -> None:
        arrays = [
            self._arrow.array([_exact(column.kind, row[place]) for row in self._held], type=kind)
            for place, (column, kind) in enumerate(
                zip(self._columns, self._schema.types, strict=True)
            )
        ]
        self._writer.write_table(self._arrow.Table.from_arrays(arrays, schema=self._schema))
        self._held = []


def _exact(kind: Kind, value: Any) -> Any:
    """A rate may have more places than a column: it is rounded, which money never needs."""
    if kind == "rate" and value is not None:
        return value.quantize(_RATE, rounding=ROUND_HALF_UP)
    return value
