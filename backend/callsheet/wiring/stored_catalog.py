"""What the files say of models and prices, brought into the database and into memory at start."""

from __future__ import annotations

from callsheet.catalog.files import Seeds
from callsheet.catalog.seed import seed
from callsheet.kit.clock import Clock
from callsheet.kit.log import get_log
from callsheet.ledger.currency import check_prices
from callsheet.wiring.core import Core
from callsheet.wiring.price_feed import lead_of

_log = get_log(__name__)


async def store_catalog(core: Core, seeds: Seeds, clock: Clock) -> None:
    """Seed the tables and load the prices.

    Raises:
        SetupError: a window that was used has other hours, or a price's currency has no rate.
    """
    lead = await lead_of(core.database, own_processes=1)
    report = await seed(core.database, seeds, clock, lead)
    for change in report.changes:
        # What is kept is not what the file says.
        tell = _log.warning if change.action == "kept" else _log.info
        tell("catalog_changed", change=str(change))
    if (table := await core.price_feed.refresh()) is not None:
        check_prices(table.prices, core.currency, clock.now(), table.rates)
