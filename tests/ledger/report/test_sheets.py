"""Rows as files: exact money, no formula, unknown is empty."""

from __future__ import annotations

import io
import json
import sys
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from pyarrow import parquet

from callsheet.kit.errors import SetupError
from callsheet.ledger.report.column import Column, batches
from callsheet.ledger.report.csv_sheet import cell
from callsheet.ledger.report.formats import FileFormat, open_sheet
from callsheet.ledger.report.json_sheet import report_json
from callsheet.ledger.report.parquet_sheet import ParquetSheet
from callsheet.ledger.report.period import Period
from callsheet.ledger.report.sums import Group, Report, Sums

COLUMNS = (
    Column("agent", "text"),
    Column("calls", "count"),
    Column("cost", "money"),
    Column("fx_rate", "rate"),
    Column("day", "day"),
    Column("started_at", "moment"),
    Column("unpriced", "flag"),
)
MOMENT = datetime(2026, 11, 30, 12, 0, 0, 1000, tzinfo=UTC)
ROWS: list[tuple[Any, ...]] = [
    (
        '=HYPERLINK("http://x")',
        3,
        Decimal("-0.000000000001"),
        Decimal("7.1"),
        date(2026, 11, 30),
        MOMENT,
        True,
    ),
    ("研究, \n员", 0, Decimal("1E+3"), Decimal(1) / 3, None, None, False),
    (None, None, None, None, None, None, None),
]


def written(kind: FileFormat, rows: list[tuple[Any, ...]] = ROWS) -> bytes:
    stream = io.BytesIO()
    sheet = open_sheet(kind, stream, COLUMNS)
    sheet.write(rows[:2])
    sheet.write(rows[2:])
    sheet.close()
    return stream.getvalue()


def test_csv_has_plain_numbers_and_no_formula() -> None:
    assert written("csv").decode().split("\r\n") == [
        "agent,calls,cost,fx_rate,day,started_at,unpriced",
        '"\'=HYPERLINK(""http://x"")",3,-0.000000000001,7.1,2026-11-30,'
        "2026-11-30T12:00:00.001000Z,true",
        '"研究, \n员",0,1000,0.3333333333333333333333333333,,,false',
        ",,,,,,",
        "",
    ]


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\n=1"])
def test_a_cell_that_would_begin_a_formula_is_quoted(text: str) -> None:
    assert cell(text) == f"'{text}"


def test_a_cell_does_not_command_a_terminal() -> None:
    assert cell("a\x1b]0;title\x07\r=1") == "a\ufffd]0;title\ufffd\ufffd=1"


@pytest.mark.parametrize("text", ["", "a=b", "qwen-flash", "'=1"])
def test_other_cells_stay_as_they_are(text: str) -> None:
    assert cell(text) == text


def test_json_lines_have_money_as_strings_and_null_for_the_unknown() -> None:
    lines = [json.loads(line) for line in written("jsonl").splitlines()]
    assert lines[0] == {
        "agent": '=HYPERLINK("http://x")',
        "calls": 3,
        "cost": "-0.000000000001",
        "fx_rate": "7.1",
        "day": "2026-11-30",
        "started_at": "2026-11-30T12:00:00.001000Z",
        "unpriced": True,
    }
    assert lines[1]["cost"] == "1000"
    assert set(lines[2].values()) == {None}


def test_parquet_has_decimals_days_and_moments() -> None:
    stream = io.BytesIO()
    sheet = ParquetSheet(stream, COLUMNS, group_rows=2)
    sheet.write(ROWS[:2])
    sheet.write(ROWS[2:])
    sheet.close()
    file = parquet.ParquetFile(stream)
    assert [str(field.type) for field in file.schema_arrow] == [
        "string",
        "int64",
        "decimal128(38, 12)",
        "decimal128(38, 18)",
        "date32[day]",
        "timestamp[us, tz=UTC]",
        "bool",
    ]
    assert file.num_row_groups == 2
    rows = file.read().to_pylist()
    assert rows[0]["agent"] == '=HYPERLINK("http://x")'
    assert rows[0]["cost"] == Decimal("-0.000000000001")
    assert rows[0]["started_at"] == MOMENT
    assert rows[1]["fx_rate"] == Decimal("0.333333333333333333")
    assert set(rows[2].values()) == {None}


def test_a_sheet_without_rows_is_still_a_file() -> None:
    assert written("csv", []).decode().splitlines() == [",".join(column.name for column in COLUMNS)]
    assert parquet.read_table(io.BytesIO(written("parquet", []))).num_rows == 0


def test_parquet_without_its_library_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(SetupError, match=r"pip install 'callsheet\[parquet\]'"):
        open_sheet("parquet", io.BytesIO(), COLUMNS)


def test_a_report_as_json_names_its_period_rows_and_totals() -> None:
    sums = Sums(calls=2, cost=Decimal("0.1000"), unpriced_calls=1, unpriced_tokens=9)
    report = Report(
        (Column("day", "day"),),
        (Group((date(2026, 11, 1),), "USD", sums), Group((date(2026, 11, 2),), "USD", sums)),
        (("USD", Decimal("-0.50")),),
    )
    period = Period(date(2026, 11, 1), date(2026, 11, 30), ZoneInfo("Asia/Shanghai"))
    document = json.loads(report_json(report, period))
    assert document["period"] == {"from": "2026-11-01", "to": "2026-11-30", "zone": "Asia/Shanghai"}
    assert [(row["day"], row["cost"]) for row in document["rows"]] == [
        ("2026-11-01", "0.1"),
        ("2026-11-02", "0.1"),
    ]
    (total,) = document["totals"]
    assert (total["currency"], total["cost"], total["unpriced_calls"]) == ("USD", "0.2", 2)
    assert document["corrections"] == [{"currency": "USD", "amount": "-0.5"}]


def test_rows_come_in_batches() -> None:
    assert [len(each) for each in batches(iter([(1,)] * 5), 2)] == [2, 2, 1]
