"""Prices on the command line: looked at, begun, imported, suggested and checked."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import pytest

from callsheet.catalog.files import load_seeds
from callsheet.catalog.seed import seed
from callsheet.db.options import DatabaseOptions
from callsheet.db.transaction import Database
from callsheet.kit.clock import SystemClock
from callsheet.runs.worker_locks import WorkerLock
from tests.cli.conftest import Callsheet, Ran
from tests.fixtures.booked import book_turns
from tests.fixtures.database import run_apart

MONEY = ("--input", "0.2", "--cached", "0.04", "--output", "0.8")


@pytest.fixture
def seeded(deployed: Callsheet, database_url: str, tmp_path: Path) -> Callsheet:
    """The commands in a folder of its own configuration, whose prices are stored."""
    deployed("init")

    async def work() -> None:
        database = Database.from_options(DatabaseOptions(database_url), pooled=False)
        config = tmp_path / "config"
        seeds = load_seeds(config / "llm_catalog.yaml", config / "llm_prices.yaml")
        await seed(database, seeds, SystemClock())
        await database.close()

    run_apart(work())
    return deployed


def book(url: str) -> None:
    async def work() -> None:
        database = Database.from_options(DatabaseOptions(url), pooled=False)
        await book_turns(database)
        await database.close()

    run_apart(work())


def lines(ran: Ran, start: str) -> list[list[str]]:
    """The cells of the table's lines that begin so."""
    found = [line for line in ran.out.splitlines() if line.startswith(start)]
    return [[cell.strip() for cell in line.split("|")] for line in found]


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
        (("qwen3.5-flash", "--input", "1", "--output", "2"), "cached_per_million"),
        (("qwen3.5-flash", *MONEY, "--from", "tomorrow"), "'tomorrow' is no moment"),
        (("qwen3.5-flash", "--tier", "32k:1,2,3"), "'32k:1,2,3' is no tier"),
        (("qwen3.5-flash", "--tier", ":1,2"), "':1,2' is no tier"),
        (("qwen3.5-flash", *MONEY, "--currency", "usd"), "currency"),
        (("qwen3.5-flash", *MONEY, "--currency", "CNY"), "callsheet prices fx set CNY USD <rate>"),
        (("qwen3.5-flash", *MONEY, "--window", "night"), "No window is called 'night'"),
        (("qwen3.5-flash", "--unit", "second"), "per_unit"),
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


MAP = {
    "deepseek/deepseek-v3.2": {
        "input_cost_per_token": 2.8e-07,
        "output_cost_per_token": 4e-07,
        "cache_read_input_token_cost": 2.8e-08,
        "litellm_provider": "deepseek",
    },
    "dashscope/qwen3.5-flash": {
        "input_cost_per_token": 1e-07,
        "output_cost_per_token": 4e-07,
        "litellm_provider": "dashscope",
    },
}


@pytest.fixture
def litellm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An installed LiteLLM whose library cannot be imported: only its files are there."""
    site = tmp_path / "site"
    (site / "litellm").mkdir(parents=True)
    (site / "litellm" / "__init__.py").write_text("raise ImportError('it must not be imported')")
    name = "litellm/model_prices_and_context_window_backup.json"
    (site / name).write_text(json.dumps(MAP))
    info = site / "litellm-9.9.9.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: litellm\nVersion: 9.9.9\n")
    (info / "RECORD").write_text(f"litellm/__init__.py,,\n{name},,\n")
    monkeypatch.syspath_prepend(str(site))


@pytest.mark.usefixtures("litellm")
def test_a_suggestion_names_its_traps_and_writes_nothing(seeded: Callsheet) -> None:
    before = seeded("prices", "list", "--all").out
    ran = seeded("prices", "suggest", "qwen3.5-flash")
    assert ran.status == 0
    assert 'source: "LiteLLM 9.9.9 dashscope/qwen3.5-flash, verify"' in ran.out
    assert "cached_per_million: 0.1" in ran.out
    assert "no cache price" in ran.err
    assert seeded("prices", "list", "--all").out == before


@pytest.mark.usefixtures("litellm")
def test_what_is_suggested_is_stored_on_demand_and_reads_as_a_list(
    deployed: Callsheet, tmp_path: Path
) -> None:
    deployed("init")
    shown = deployed("prices", "suggest")
    assert "rehearsal/rehearsal: not in the map" in shown.err
    (tmp_path / "list.yaml").write_text(shown.out)
    assert deployed("prices", "import", "list.yaml").status == 0
    assert deployed("prices", "suggest", "--write").status == 0
    rows = lines(deployed("prices", "list"), "deepseek/") + lines(
        deployed("prices", "list"), "qwen/"
    )
    assert [row[5:8] + row[10:11] for row in rows] == [
        ["0.28", "0.028", "0.4", "no"],
        ["0.1", "0.1", "0.4", "no"],
    ]


def test_without_litellm_the_command_that_installs_it_is_named(
    seeded: Callsheet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [str(Path(__file__).parent)])
    ran = seeded("prices", "suggest", "qwen3.5-flash")
    assert ran.status == 2
    assert "pip install 'callsheet[litellm]'" in ran.err


def test_check_finds_what_nobody_verified_and_then_nothing(
    seeded: Callsheet, tmp_path: Path
) -> None:
    ran = seeded("prices", "check")
    assert ran.status == 1
    assert "qwen/qwen3.5-flash: Nobody verified its price (source 'seed, verify')" in ran.out
    assert "rehearsal" not in ran.out
    for model, money in (("qwen3.5-flash", ("0.10", "0.02", "0.40")),
                         ("deepseek-v3.2", ("0.28", "0.028", "0.40"))):  # fmt: skip
        named = zip(("--input", "--cached", "--output"), money, strict=True)
        done = seeded(
            "prices", "set", model, *[word for pair in named for word in pair], "--verified"
        )
        assert f"/{model}: changed (verified: true)" in done.out
    ran = seeded("prices", "check")
    assert (ran.status, ran.out) == (0, "4 models are priced, and the prices were verified\n")


def test_check_names_the_command_for_a_model_without_a_price(deployed: Callsheet) -> None:
    deployed("init")
    ran = deployed("prices", "check")
    assert ran.status == 1
    assert "callsheet prices set deepseek/deepseek-v3.2" in ran.out
