"""Prices on the command line: looked at, begun, imported, suggested and checked."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from callsheet.db.options import DatabaseOptions
from callsheet.db.transaction import Database
from callsheet.runs.worker_locks import WorkerLock
from tests.cli.conftest import Callsheet, Ran
from tests.cli.pricing import lines, seeded
from tests.fixtures.booked import book_turns
from tests.fixtures.database import run_apart

__all__ = ["seeded"]

MONEY = ("--input", "0.2", "--cached", "0.04", "--output", "0.8")


def book(url: str) -> None:
    async def work() -> None:
        database = Database.from_options(DatabaseOptions(url), pooled=False)
        await book_turns(database)
        await database.close()

    run_apart(work())


def test_what_is_valid_now_is_listed_and_all_of_it_on_demand(seeded: Callsheet) -> None:
    assert seeded("prices", "set", "qwen3.5-flash", *MONEY, "--from", "2099-01-01").status == 0
    listed = seeded("prices", "list")
    assert listed.status == 0
    assert [line[5:8] for line in lines(listed, "qwen/")] == [["0.1", "0.02", "0.4"]]
    assert len(lines(seeded("prices", "list", "--all"), "qwen/")) == 2
    assert lines(seeded("prices", "list", "--factory", "deepseek"), "qwen/") == []


def test_an_empty_database_says_when_prices_are_stored(deployed: Callsheet) -> None:
    ran = deployed("prices", "list")
    assert (ran.status, ran.out) == (0, "(none)\n")
    assert "when the server starts" in ran.err


def test_a_model_that_nobody_configured_is_warned_of(seeded: Callsheet) -> None:
    for _ in range(2):
        ran = seeded("prices", "set", "qwen/qwen3.5-flsh", *MONEY)
        assert ran.status == 0
        assert "has a model qwen/qwen3.5-flsh" in ran.err
        assert "Did you mean qwen/qwen3.5-flash?" in ran.err
    assert "has a model" not in seeded("prices", "set", "local/smollm2", *MONEY).err


def test_a_price_is_closed_and_the_next_begins(seeded: Callsheet, database_url: str) -> None:
    ran = seeded("prices", "set", "qwen3.5-flash", *MONEY, "--reasoning", "3", "--verified")
    assert ran.status == 0
    assert "price qwen/qwen3.5-flash: closed (at " in ran.out
    assert "0.2 in, 0.04 cached, 0.8 out, 3 reasoning, USD per million tokens" in ran.out
    old, new = lines(seeded("prices", "show", "qwen/qwen3.5-flash"), "qwen/")
    assert old[2] == new[1] != ""
    assert (old[10:12], new[8], new[10]) == (["no", "seed"], "reasoning 3", "yes")
    assert new[11].startswith("command")
    again = seeded("prices", "set", "qwen3.5-flash", *MONEY, "--reasoning", "3", "--verified")
    assert (again.status, again.out) == (0, "")
    assert "costs that already" in again.err


def test_tiers_and_units_are_set_by_hand(seeded: Callsheet) -> None:
    tiers = ("--tier", "32000:1.2,0.24,6", "--tier", "128000:2.4,0.48,12", "--tier", ":3,0.6,15")
    assert seeded("prices", "set", "qwen/qwen3-max", *tiers).status == 0
    sizes = [line[4] for line in lines(seeded("prices", "show", "qwen3-max"), "qwen/")]
    assert sizes == ["up to 32000", "up to 128000", "over 128000"]
    asr = ("prices", "set", "qwen/fun-asr", "--unit", "second", "--per-unit", "0.00009")
    assert seeded(*asr).status == 0
    assert lines(seeded("prices", "show", "fun-asr"), "qwen/")[0][9] == "USD per second"


def test_what_was_booked_is_not_priced_again(deployed: Callsheet, database_url: str) -> None:
    book(database_url)
    past = deployed("prices", "set", "qwen3.5-flash", *MONEY, "--from", "2026-02-01")
    assert past.status == 1
    assert "what they were charged stays" in past.err
    assert deployed("prices", "set", "qwen3.5-flash", *MONEY).status == 0
    assert deployed("audit").status == 0


def test_a_change_waits_for_the_processes_that_run(seeded: Callsheet, database_url: str) -> None:
    async def with_a_server() -> Ran:
        database = Database.from_options(DatabaseOptions(database_url), pooled=False)
        async with WorkerLock(database, "a server"):
            return await asyncio.to_thread(seeded, "prices", "set", "qwen3.5-flash", *MONEY)

    ran = run_apart(with_a_server())
    assert ran.status == 0
    assert "It begins at " in ran.err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("qwen3.5-flush", *MONEY), "Did you mean 'qwen3.5-flash'?"),
        (("unknown-one", *MONEY), "Give it as factory/model_code."),
        (("qwen3.5-flash", "--input", "1", "--output", "2"), "--cached is missing."),
        (("qwen3.5-flash", "--input", "x", *MONEY[2:]), "--input: expected a number, found 'x'."),
        (("qwen3.5-flash", *MONEY, "--from", "tomorrow"), "'tomorrow' is no moment"),
        (("qwen3.5-flash", "--tier", "32k:1,2,3"), "'32k:1,2,3' is no tier"),
        (("qwen3.5-flash", "--tier", ":1,2"), "':1,2' is no tier"),
        (
            ("qwen3.5-flash", *MONEY, "--currency", "usd"),
            "--currency: expected a currency in three",
        ),
        (("qwen3.5-flash", *MONEY, "--currency", "CNY"), "callsheet prices fx set CNY USD <rate>"),
        (("qwen3.5-flash", *MONEY, "--window", "night"), "No window is called 'night'"),
        (("qwen3.5-flash", "--unit", "second"), "--per-unit is missing."),
    ],
)
def test_a_wrong_price_changes_nothing(
    seeded: Callsheet, arguments: tuple[str, ...], told: str
) -> None:
    before = seeded("prices", "list", "--all").out
    ran = seeded("prices", "set", *arguments)
    assert ran.status == 1
    assert told in ran.err
    assert seeded("prices", "list", "--all").out == before


def test_a_model_without_prices_is_told_how_to_get_one(seeded: Callsheet) -> None:
    ran = seeded("prices", "show", "kimi/kimi-k3")
    assert ran.status == 1
    assert "callsheet prices set kimi/kimi-k3" in ran.err


def test_a_rate_lets_prices_be_in_another_currency(seeded: Callsheet) -> None:
    assert seeded("prices", "fx", "set", "CNY", "USD", "0.1389").status == 0
    assert seeded("prices", "set", "qwen3.5-flash", *MONEY, "--currency", "CNY").status == 0
    (rate,) = lines(seeded("prices", "fx", "list"), "CNY")
    assert rate[:3] == ["CNY", "0.1389", "USD"]
    announced = seeded("prices", "fx", "set", "CNY", "USD", "0.14", "--from", "2099-01-01")
    assert "rate CNY/USD from 2099-01-01 00:00Z: added (0.14)" in announced.out
    corrected = seeded("prices", "fx", "set", "CNY", "USD", "0.15", "--from", "2099-01-01")
    assert "changed (0.15)" in corrected.out
    again = seeded("prices", "fx", "set", "CNY", "USD", "0.15", "--from", "2099-01-01")
    assert (again.status, again.out) == (0, "")
    for wrong in (("CNY", "CNY", "1"), ("CNY", "USD", "0"), ("cny", "USD", "1")):
        assert seeded("prices", "fx", "set", *wrong).status == 1


LIST = """\
prices:
  - factory: qwen
    model_code: qwen3.5-flash
    currency: USD
    valid_from: 2026-01-01T00:00:00Z
    source: another list
    verified: true
    input_per_million: 0.3
    cached_per_million: 0.06
    output_per_million: 0.9
"""


def test_an_import_is_shown_first_and_done_with_yes(seeded: Callsheet, tmp_path: Path) -> None:
    (tmp_path / "list.yaml").write_text(LIST)
    before = seeded("prices", "list", "--all").out
    shown = seeded("prices", "import", "list.yaml")
    assert "0.3 in, 0.06 cached, 0.9 out" in shown.out
    assert "none made: --yes makes them" in shown.err
    assert seeded("prices", "list", "--all").out == before
    assert seeded("prices", "import", "list.yaml", "--yes").out == shown.out
    (row,) = lines(seeded("prices", "list", "--all"), "qwen/")
    assert (row[5:8], row[10], row[12]) == (["0.3", "0.06", "0.9"], "yes", "another list")
    assert "say that already" in seeded("prices", "import", "list.yaml").err


def test_an_import_leaves_what_was_booked(
    deployed: Callsheet, database_url: str, tmp_path: Path
) -> None:
    book(database_url)
    (tmp_path / "list.yaml").write_text(LIST)
    assert deployed("prices", "import", "list.yaml", "--yes").status == 0
    old, new = lines(deployed("prices", "show", "qwen3.5-flash"), "qwen/")
    assert (old[5], new[5], old[2]) == ("0.4", "0.3", new[1])
    assert deployed("audit").status == 0


def test_a_broken_list_is_refused_with_its_places(seeded: Callsheet, tmp_path: Path) -> None:
    (tmp_path / "list.yaml").write_text(LIST.replace("source: another list", "sauce: x"))
    ran = seeded("prices", "import", "list.yaml", "--yes")
    assert ran.status == 2
    assert "list.yaml:6:5: unknown key 'sauce' (did you mean 'source'?)" in ran.err
