"""Keeps the prices in memory like those in the database, whoever changes them."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Final

from callsheet.db.transaction import Database
from callsheet.kit.errors import AppError, SetupError
from callsheet.kit.log import get_log
from callsheet.ledger.price.book import PriceBook
from callsheet.ledger.price.store import PriceTable, load_price_table, prices_version
from callsheet.runs.worker_locks import count_alive

EVERY_S: Final = 4.0
KNOWN_AFTER: Final = timedelta(seconds=10)
"""How long a change takes to be known in every process at the latest."""

_log = get_log(__name__)


class PriceFeed:
    """Looks for changes every few seconds, and at once when it is asked to."""

    def __init__(self, database: Database, book: PriceBook, every_s: float = EVERY_S) -> None:
        self._database = database
        self._book = book
        self._every_s = every_s
        self._version = ""
        self._one_at_a_time = asyncio.Lock()  # an older look must not end after a newer one

    async def refresh(self) -> PriceTable | None:
        """Take in what changed; None where nothing did."""
        async with self._one_at_a_time:
            async with self._database.read() as tx:
                if await prices_version(tx) == self._version:
                    return None
                table = await load_price_table(tx)
            self._book.replace(table.prices, table.windows, table.rates)
            self._version = table.version
            return table

    async def run(self) -> None:
        """Look until cancelled; while the database is away the last prices hold."""
        while True:
            await asyncio.sleep(self._every_s)
            try:
                if await self.refresh() is not None:
                    _log.info("prices_changed")
            except (AppError, SetupError) as error:
                _log.warning("prices_not_read", error=str(error))


async def lead_of(database: Database, own_processes: int) -> timedelta:
    """How far ahead a change has to begin, so that each process knows it by then.

    Nothing where no process but `own_processes` is at work.
    """
    async with database.read() as tx:
        others = await count_alive(tx) > own_processes
    return KNOWN_AFTER if others else timedelta(0)
