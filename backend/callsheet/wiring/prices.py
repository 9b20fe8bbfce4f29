"""Prices as the API reads and changes them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from datetime import datetime, timedelta
from typing import Final

from callsheet.auth.principal import Principal
from callsheet.catalog.doubt import doubts_about
from callsheet.catalog.price import PriceEntry
from callsheet.catalog.price_change import change_price
from callsheet.catalog.price_list import (
    ModelPrices,
    PriceFilter,
    PriceRecord,
    list_prices,
    prices_of,
)
from callsheet.db.transaction import Database
from callsheet.kit.clock import Clock
from callsheet.kit.errors import NotFound
from callsheet.kit.log import get_log
from callsheet.kit.pages import Page, PageRequest
from callsheet.wiring.price_feed import PriceFeed, lead_of

# A change of this process begins a little later, so that no call of its own that starts while
# the change is written is booked with a price that has ended.
_ALONE: Final = timedelta(milliseconds=300)
_WORTH_WAITING: Final = timedelta(seconds=1)

_log = get_log(__name__)


class PriceService:
    """Implements `api.price_ports.Prices`; `currency` is the accounting one.

    `models` are factory and code of the models of models.yaml.
    """

    def __init__(
        self,
        database: Callable[[], Database],
        feed: Callable[[], PriceFeed],
        clock: Clock,
        currency: str,
        models: Collection[tuple[str, str]],
    ) -> None:
        self._database = database
        self._feed = feed
        self._clock = clock
        self._currency = currency
        self._models = models

    def now(self) -> datetime:
        """The moment that `valid now` means."""
        return self._clock.now()

    async def list(self, wanted: PriceFilter, page: PageRequest) -> Page[PriceRecord]:
        """Rows by factory, model, window, beginning and tier."""
        async with self._database().read() as tx:
            return await list_prices(tx, wanted, page)

    async def of_model(self, factory: str, model_code: str) -> ModelPrices:
        """Every row of a model; NotFound where it never had one."""
        async with self._database().read() as tx:
            found = await prices_of(tx, factory, model_code)
        if not found.rows:
            raise NotFound(f"{factory}/{model_code} has no price.")
        return found

    async def soonest(self) -> datetime:
        """When a price that is entered now can begin, every process knowing it by then."""
        lead = await lead_of(self._database(), own_processes=1)
        return self._clock.now() + max(lead, _ALONE)

    async def doubts(self, entry: PriceEntry) -> tuple[str, ...]:
        """What is odd about a price, though it can be begun."""
        async with self._database().read() as tx:
            return await doubts_about(tx, entry, self._models)

    async def change(self, principal: Principal, entry: PriceEntry) -> ModelPrices:
        """Close what holds when the entry begins, and begin it; what the model costs after that.

        Returns once this process uses it, and where it begins within a second, once it holds.
        Raises as `catalog.price_change.change_price` does.
        """
        async with self._database().transaction() as tx:
            now = self._clock.now()
            changes = await change_price(tx, entry, principal.name, now, self._currency)
        for change in changes:
            _log.info("price_changed", change=str(change), by=principal.name)
        await self._feed().refresh()
        wait = entry.valid_from - self._clock.now()
        if timedelta(0) < wait < _WORTH_WAITING:
            await asyncio.sleep(wait.total_seconds())
        return await self.of_model(entry.factory, entry.model_code)
