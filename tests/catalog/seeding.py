"""Seeds for tests, and what writes them."""

from __future__ import annotations

from callsheet.catalog.files import Seeds, load_seeds
from callsheet.catalog.report import SeedReport
from callsheet.catalog.seed import seed
from callsheet.db.transaction import Database
from callsheet.kit.clock import SystemClock
from callsheet.kit.places import shipped

SEEDS = load_seeds(shipped("config") / "llm_catalog.yaml", shipped("config") / "llm_prices.yaml")


async def run(database: Database, seeds: Seeds = SEEDS) -> SeedReport:
    return await seed(database, seeds, SystemClock())


def texts(report: SeedReport) -> list[str]:
    return [str(change) for change in report.changes]
