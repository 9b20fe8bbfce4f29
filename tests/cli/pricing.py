"""Stored prices, and the table that shows them."""

from __future__ import annotations

from pathlib import Path

import pytest

from callsheet.catalog.files import load_seeds
from callsheet.catalog.seed import seed
from callsheet.db.options import DatabaseOptions
from callsheet.db.transaction import Database
from callsheet.kit.clock import SystemClock
from tests.cli.conftest import Callsheet, Ran
from tests.fixtures.database import run_apart


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


def lines(ran: Ran, start: str) -> list[list[str]]:
    """The cells of the table's lines that begin so."""
    found = [line for line in ran.out.splitlines() if line.startswith(start)]
    return [[cell.strip() for cell in line.split("|")] for line in found]
