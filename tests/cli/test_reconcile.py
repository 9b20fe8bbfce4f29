"""`reconcile` is an exit status, a table, and rows beside the ledger."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from callsheet.db.options import DatabaseOptions
from callsheet.db.transaction import Database
from tests.cli.conftest import Callsheet
from tests.fixtures.database import run_apart
from tests.ledger.report.calls import add_call
from tests.sessions.rows import rows

HEAD = "day,model,amount,currency,input_tokens,cached_tokens,output_tokens\n"


async def book(url: str) -> None:
    database = Database.from_options(DatabaseOptions(url), pooled=False)
    await add_call(database, started_at=datetime(2026, 11, 2, tzinfo=UTC))
    await database.close()


async def stored(url: str) -> list[tuple[Any, ...]]:
    database = Database.from_options(DatabaseOptions(url), pooled=False)
    found = await rows(database, "SELECT day::text, amount::text FROM cost_adjustments")
    await database.close()
    return found


@pytest.fixture
def reconcile(deployed: Callsheet, database_url: str, tmp_path: Path) -> Callsheet:
    """Reconciles a bill of factory f with these lines; one call of 0.002 is in the ledger."""
    run_apart(book(database_url))

    def call(lines: str, *arguments: str) -> Any:
        file = tmp_path / "bill.csv"
        file.write_text(HEAD + lines, "utf-8")
        return deployed("reconcile", str(file), "--factory", "f", *arguments)

    return call


def test_an_equal_bill_is_status_0(reconcile: Callsheet) -> None:
    ran = reconcile("2026-11-02,m,0.002,USD,1000,0,500\n")
    assert (ran.status, ran.out) == (0, "(none)\n")
    assert "1 compared, 0 differ" in ran.err
    ran = reconcile("2026-11-02,m,0.002,USD,1000,0,500\n", "--all")
    assert "2026-11-02" in ran.out


def test_a_difference_is_status_1_with_its_percent(reconcile: Callsheet, database_url: str) -> None:
    ran = reconcile("2026-11-02,m,0.003,USD,1100,0,500\n")
    heads, cells = (
        [cell.strip() for cell in ran.out.splitlines()[line].split("|")] for line in (0, 2)
    )
    assert ran.status == 1
    assert "" not in heads
    assert cells == [
        "2026-11-02", "m", "1", "0", "0.003", "USD", "0.003000", "0.002000", "0.001000", "50.00",
        "1100", "1000", "500", "500",
    ]  # fmt: skip
    assert run_apart(stored(database_url)) == []
    assert reconcile("2026-11-02,m,0.003,USD,1,0,5\n", "--ignore-below", "0.01").status == 0


def test_written_differences_are_stored_once(reconcile: Callsheet, database_url: str) -> None:
    lines = "2026-11-02,m,0.003,USD,1100,0,500\n"
    assert reconcile(lines, "--write").status == 0
    assert run_apart(stored(database_url)) == [("2026-11-02", "0.001000000000")]
    ran = reconcile(lines, "--write")
    assert ran.status == 0
    assert "1 compared, 0 differ" in ran.err
    assert len(run_apart(stored(database_url))) == 1


def test_days_that_are_not_over_are_not_stored(reconcile: Callsheet, database_url: str) -> None:
    ran = reconcile("8999-12-30,m,1,USD,1,0,5\n", "--write")
    assert ran.status == 1
    assert "not over" in ran.err
    assert run_apart(stored(database_url)) == []


def test_a_broken_bill_is_status_2_with_every_problem(
    reconcile: Callsheet, database_url: str
) -> None:
    ran = reconcile("yesterday,m,much,USD,1,0,5\n", "--write")
    assert ran.status == 2
    assert "bill.csv:2:1: day: 'yesterday'" in ran.err
    assert "bill.csv:2:13: amount: 'much'" in ran.err


def test_a_factory_that_is_misspelt_is_status_2(deployed: Callsheet, tmp_path: Path) -> None:
    file = tmp_path / "bill.csv"
    file.write_text(f"{HEAD}2026-11-02,m,1,USD,1,0,5\n", "utf-8")
    ran = deployed("reconcile", str(file), "--factory", "depseek")
    assert ran.status == 2
    assert "--factory" in ran.err


@pytest.mark.parametrize("amount", ["-1", "NaN", "x"])
def test_a_wrong_tolerance_is_status_2(reconcile: Callsheet, amount: str) -> None:
    ran = reconcile("2026-11-02,m,1,USD,1,0,5\n", "--ignore-below", amount)
    assert ran.status == 2
    assert "--ignore-below" in ran.err


def test_check_looks_at_the_layouts_too(callsheet: Callsheet, tmp_path: Path) -> None:
    callsheet("init")
    bills = tmp_path / "config/bills.yaml"
    bills.write_text(bills.read_text("utf-8").replace("zone: UTC", "zone: Mars"), "utf-8")
    ran = callsheet("check")
    assert ran.status == 1
    assert "bills.yaml:8:9: " in ran.out
