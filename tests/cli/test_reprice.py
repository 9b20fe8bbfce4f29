"""`reprice` compares, and changes nothing."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from uuid import UUID

import pytest

from callsheet.db.options import DatabaseOptions
from callsheet.db.transaction import Database
from tests.cli.conftest import Callsheet
from tests.fixtures.database import run_apart
from tests.ledger.report.calls import add_call, add_price

NOVEMBER = ("--month", "2026-11")
LIST = """
prices:
  - factory: f
    model_code: m
    currency: USD
    valid_from: 2026-01-01T00:00:00Z
    input_per_million: 10
    cached_per_million: 10
    output_per_million: 20
    source: a new list
  - factory: f
    model_code: m
    currency: USD
    valid_from: 2030-01-01T00:00:00Z
    tiers:
      - {up_to_input_tokens: 10, input_per_million: 1, cached_per_million: 1, output_per_million: 1}
      - {input_per_million: 50, cached_per_million: 50, output_per_million: 100}
    source: a later list
"""


async def book(url: str) -> None:
    """A call at 1 and 2 a million; from December 1 on these are 0.5 and 1."""
    database = Database.from_options(DatabaseOptions(url), pooled=False)
    december = datetime(2026, 12, 1, tzinfo=UTC)
    await add_price(database, until=december)
    await add_price(
        database, id=UUID(int=78), input=Decimal("0.5"), output=Decimal(1), since=december
    )
    await add_call(database)
    await add_call(database, model_code="n")
    await database.close()


@pytest.fixture
def reprice(deployed: Callsheet, database_url: str) -> Callable[..., dict[str, dict[str, str]]]:
    """Reprices November, and gives the rows by model."""
    run_apart(book(database_url))

    def call(*arguments: str) -> dict[str, dict[str, str]]:
        ran = deployed("reprice", *NOVEMBER, "--format", "csv", *arguments)
        assert ran.status == 0, ran.err
        return {row["model"]: row for row in csv.DictReader(io.StringIO(ran.out))}

    return call


Reprice = Callable[..., dict[str, dict[str, str]]]


def test_the_prices_of_a_day_are_those_that_hold_when_it_ends(reprice: Reprice) -> None:
    assert reprice("--as-of", "2026-11-30")["m"]["would_cost"] == "0.002"
    changed = reprice("--as-of", "2026-12-01")["m"]
    assert (changed["booked"], changed["would_cost"]) == ("0.002", "0.001")
    assert (changed["difference"], changed["percent"]) == ("-0.001", "-50")


def test_a_model_without_a_price_there_is_told(deployed: Callsheet, reprice: Reprice) -> None:
    row = reprice("--as-of", "2026-12-01")["n"]
    assert (row["no_price_calls"], row["no_price_booked"], row["would_cost"]) == (
        "1", "0.002", "0",
    )  # fmt: skip
    assert "without a price there: 1 call;" in deployed("reprice", *NOVEMBER).err


def test_prices_of_a_file_are_tried_out(reprice: Reprice, tmp_path: Path) -> None:
    file = tmp_path / "new.yaml"
    file.write_text(LIST, "utf-8")
    assert reprice("--prices", str(file), "--as-of", "2026-12-01")["m"]["would_cost"] == "0.02"
    assert reprice("--prices", str(file), "--as-of", "2030-06-01")["m"]["would_cost"] == "0.1"
    assert reprice("--as-of", "2026-12-01")["m"]["would_cost"] == "0.001"


def test_the_table_ends_with_a_total(deployed: Callsheet, reprice: Reprice) -> None:
    ran = deployed("reprice", *NOVEMBER, "--as-of", "2026-12-01")
    total = [cell.strip() for cell in ran.out.splitlines()[-1].split("|")]
    assert total[:7] == ["total", "", "2", "0.002000", "0.001000", "-0.001000", "-50.00"]
    assert "2 calls under the prices of 2026-12-01 23:59 UTC, -0.001000 USD" in ran.err


def test_json_and_filters(deployed: Callsheet, reprice: Reprice, tmp_path: Path) -> None:
    file = tmp_path / "november.jsonl"
    arguments = ("--format", "json", "--model", "m", "--output", str(file))
    ran = deployed("reprice", *NOVEMBER, "--as-of", "2026-12-01", *arguments)
    assert (ran.status, ran.out) == (0, "")
    (row,) = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    assert (row["model"], row["difference"]) == ("m", "-0.001")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [(("--as-of", "soon"), "--as-of"), (("--prices", "none.yaml"), "none.yaml")],
)
def test_a_wrong_option_is_status_2(
    deployed: Callsheet, arguments: tuple[str, ...], said: str
) -> None:
    ran = deployed("reprice", *arguments)
    assert ran.status == 2
    assert said in ran.err


def test_a_broken_price_list_is_told_with_its_lines(deployed: Callsheet, tmp_path: Path) -> None:
    file = tmp_path / "new.yaml"
    file.write_text(LIST.replace("currency: USD", "currency: Dollar", 1), "utf-8")
    ran = deployed("reprice", "--prices", str(file))
    assert ran.status == 2
    assert "new.yaml:5:15" in ran.err
