"""`report` in all its forms, on a real database."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import pytest
from pyarrow import parquet

from callsheet.db.options import DatabaseOptions
from callsheet.db.transaction import Database
from tests.cli.conftest import Callsheet
from tests.fixtures.database import run_apart
from tests.ledger.report.calls import add_call, add_estimated, add_open, add_run, add_unpriced

NOVEMBER = ("--month", "2026-11")


async def book(url: str) -> str:
    """One call of each kind; the id of Ada's session."""
    database = Database.from_options(DatabaseOptions(url), pooled=False)
    of = await add_run(database, "ada")
    await add_call(database, of=of, stage="intent", agent="=cmd()")
    await add_estimated(database, "bob", cost_exact=Decimal("0.0005"))
    await add_unpriced(database, "bob")
    await add_open(database, "bob")
    await database.close()
    return str(of[0])


@pytest.fixture
def booked(deployed: Callsheet, database_url: str) -> str:
    return run_apart(book(database_url))


def test_the_table_has_unknowns_beside_the_cost_and_a_line_of_totals(
    deployed: Callsheet, booked: str
) -> None:
    ran = deployed("report", *NOVEMBER, "--by", "user")
    assert ran.status == 0
    lines = [[cell.strip() for cell in line.split("|")] for line in ran.out.splitlines()]
    assert lines[0] == [
        "user", "calls", "input_tokens", "cached_tokens", "output_tokens", "cost",
        "estimated_cost", "unpriced_calls", "open_calls", "reserved_cost", "currency",
    ]  # fmt: skip
    ada, bob, total = lines[2:]
    assert ada == [
        "ada", "1", "1000", "0", "500", "0.002000", "0.000000", "0", "0", "0.000000", "USD",
    ]  # fmt: skip
    assert bob == [
        "bob", "3", "2000", "0", "1000", "0.000500", "0.000500", "1", "1", "0.500000", "USD",
    ]  # fmt: skip
    assert (total[0], total[1], total[5]) == ("total", "4", "0.002500")
    assert "of it 0.000500 estimated (1 call); and what 1 call without a price cost" in ran.err
    assert "open: 1 call, for which 0.500000 USD is held" in ran.err


def test_csv_goes_to_standard_output_alone(deployed: Callsheet, booked: str) -> None:
    ran = deployed("report", *NOVEMBER, "--by", "agent,model", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(ran.out)))
    assert [(row["agent"], row["model"], row["cost"]) for row in rows] == [
        ("'=cmd()", "m", "0.002"),
        ("", "free-for-now", "0"),
        ("", "m", "0.0005"),
    ]
    assert rows[1]["unpriced_tokens"] == "1500"


def test_json_is_one_document(deployed: Callsheet, booked: str) -> None:
    document = json.loads(deployed("report", *NOVEMBER, "--format", "json").out)
    assert document["period"] == {"from": "2026-11-01", "to": "2026-11-30", "zone": "UTC"}
    assert [row["model"] for row in document["rows"]] == ["free-for-now", "m"]
    assert document["totals"][0]["cost"] == "0.0025"


def test_parquet_goes_into_a_file_that_is_whole(
    deployed: Callsheet, booked: str, tmp_path: Path
) -> None:
    file = tmp_path / "november.parquet"
    ran = deployed("report", *NOVEMBER, "--format", "parquet", "--output", str(file))
    assert (ran.status, ran.out) == (0, "")
    table = parquet.read_table(file)
    assert str(table.schema.field("cost").type) == "decimal128(38, 12)"
    assert sum(table["cost"].to_pylist()) == Decimal("0.0025")
    assert [path.name for path in tmp_path.glob("november*")] == ["november.parquet"]


def test_calls_are_exported_one_by_one(deployed: Callsheet, booked: str, tmp_path: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(deployed("report", "--calls", *NOVEMBER).out)))
    assert len(rows) == 4
    assert sorted(row["cost"] for row in rows) == ["", "", "0.0005", "0.002"]

    lines = deployed("report", "--calls", *NOVEMBER, "--format", "json", "--user", "ada").out
    (only,) = [json.loads(line) for line in lines.splitlines()]
    assert (only["user"], only["cost"], only["session_id"]) == ("ada", "0.002", booked)

    file = tmp_path / "calls.parquet"
    deployed("report", "--calls", *NOVEMBER, "--format", "parquet", "--output", str(file))
    assert parquet.read_table(file).num_rows == 4


def test_a_terminal_is_shown_how_far_it_is_beside_the_answer(
    deployed: Callsheet, booked: str
) -> None:
    quiet = deployed("report", "--calls", *NOVEMBER)
    assert "writing calls" not in quiet.err
    terminal, end = os.openpty()
    command = [str(Path(sys.executable).with_name("callsheet")), "report", "--calls", *NOVEMBER]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    out = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=end, check=True)
    os.close(end)
    drawn = os.read(terminal, 100_000).decode()
    os.close(terminal)
    assert "writing calls" in drawn
    assert "4/4" in drawn
    assert out.stdout.decode() == quiet.out


def test_filters_and_the_zone_choose_the_calls(deployed: Callsheet, booked: str) -> None:
    def cost(*arguments: str) -> list[str]:
        document = json.loads(deployed("report", *arguments, "--format", "json").out)
        return [total["cost"] for total in document["totals"]]

    assert cost(*NOVEMBER, "--user", "ada") == ["0.002"]
    assert cost(*NOVEMBER, "--session", booked) == ["0.002"]
    assert cost(*NOVEMBER, "--model", "free-for-now") == ["0"]
    assert cost(*NOVEMBER, "--factory", "nobody") == []
    assert cost("--from", "2026-12-01", "--to", "2026-12-01", "--zone", "Pacific/Kiritimati") == [
        "0.0025"
    ]


def test_days_are_those_of_the_quotas_unless_a_zone_is_named(
    deployed: Callsheet, booked: str, tmp_path: Path
) -> None:
    deployed("init")
    quotas = tmp_path / "config" / "quotas.yaml"
    quotas.write_text(
        quotas.read_text("utf-8").replace("timezone: UTC", "timezone: Pacific/Kiritimati"), "utf-8"
    )
    december = ("--month", "2026-12", "--format", "json")
    assert json.loads(deployed("report", *december).out)["totals"][0]["calls"] == 4
    assert json.loads(deployed("report", *december, "--zone", "UTC").out)["totals"] == []


def test_a_period_without_calls_says_so(deployed: Callsheet) -> None:
    ran = deployed("report", "--month", "2020-01")
    assert (ran.status, ran.out) == (0, "(none)\n")
    assert "no calls" in ran.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--month", "November"), "--month"),
        (("--from", "2026-11-31"), "--from"),
        (("--today", "--month", "2026-11"), "--today"),
        (("--by", "colour"), "--by"),
        (("--zone", "Mars"), "--zone"),
        (("--session", "mine"), "--session"),
        (("--calls", "--by", "day"), "--by"),
        (("--calls", "--format", "table"), "--format"),
        (("--format", "parquet"), "--output"),
    ],
)
def test_a_wrong_option_is_status_2_and_named(
    deployed: Callsheet, arguments: tuple[str, ...], said: str
) -> None:
    ran = deployed("report", *arguments)
    assert (ran.status, ran.out) == (2, "")
    assert said in ran.err


def test_a_user_who_never_was_here_is_status_1(deployed: Callsheet) -> None:
    ran = deployed("report", "--user", "nobody")
    assert ran.status == 1
    assert "no user 'nobody'" in ran.err


def test_a_file_that_cannot_be_written_is_status_2(deployed: Callsheet, tmp_path: Path) -> None:
    ran = deployed("report", "--format", "csv", "--output", str(tmp_path / "no" / "such.csv"))
    assert ran.status == 2
    assert "cannot be written" in ran.err


def test_the_help_has_examples_and_says_what_the_status_means(callsheet: Callsheet) -> None:
    said = " ".join(callsheet("report", "--help").out.split())
    assert "Examples" in said
    assert "Status: 0 done" in said
