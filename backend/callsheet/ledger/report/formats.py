"""The files that rows can become."""

from __future__ import annotations

from collections.abc import Sequence
from typing import BinaryIO, Literal, assert_never

from callsheet.ledger.report.column import Column, Sheet
from callsheet.ledger.report.csv_sheet import CsvSheet
from callsheet.ledger.report.json_sheet import JsonLinesSheet
from callsheet.ledger.report.parquet_sheet import ParquetSheet

FileFormat = Literal["csv", "jsonl", "parquet"]


def open_sheet(kind: FileFormat, stream: BinaryIO, columns: Sequence[Column]) -> Sheet:
    """A sheet of that format on `stream`, which stays open.

    Raises:
        SetupError: what the format needs is not installed.
    """
    match kind:
        case "csv":
            return CsvSheet(stream, columns)
        case "jsonl":
            return JsonLinesSheet(stream, columns)
        case "parquet":
            return ParquetSheet(stream, columns)
        case _:
            assert_never(kind)
