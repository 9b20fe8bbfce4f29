"""What the router of prices needs from the service behind it."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from callsheet.auth.principal import Principal
from callsheet.catalog.price import PriceEntry
from callsheet.catalog.price_list import ModelPrices, PriceFilter, PriceRecord
from callsheet.kit.pages import Page, PageRequest


class Prices(Protocol):
    """Reads prices, and changes them while the server runs."""

    def now(self) -> datetime:
        """The moment that `valid now` means."""
        ...

    async def list(self, wanted: PriceFilter, page: PageRequest) -> Page[PriceRecord]:
        """Rows by factory, model, window, beginning and tier."""
        ...

    async def of_model(self, factory: str, model_code: str) -> ModelPrices:
        """Every row of a model; NotFound where it never had one."""
        ...

    async def soonest(self) -> datetime:
        """When a price that is entered now can begin, every process knowing it by then."""
        ...

    async def doubts(self, entry: PriceEntry) -> tuple[str, ...]:
        """What is odd about a price, though it can be begun."""
        ...

    async def change(self, principal: Principal, entry: PriceEntry) -> ModelPrices:
        """Close what holds when the entry begins, and begin it; what the model costs after that.

        Raises BadInput, Conflict.
        """
        ...
