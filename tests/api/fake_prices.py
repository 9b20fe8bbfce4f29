"""No prices at all: what they are is tested on a real database."""

from __future__ import annotations

from datetime import UTC, datetime

from callsheet.auth.principal import Principal
from callsheet.catalog.price import PriceEntry
from callsheet.catalog.price_list import ModelPrices, PriceFilter, PriceRecord
from callsheet.kit.errors import NotFound
from callsheet.kit.pages import Page, PageRequest

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


class FakePrices:
    """Empty."""

    def now(self) -> datetime:
        """As the port says."""
        return NOW

    async def list(self, wanted: PriceFilter, page: PageRequest) -> Page[PriceRecord]:
        """As the port says."""
        return Page(())

    async def of_model(self, factory: str, model_code: str) -> ModelPrices:
        """As the port says."""
        raise NotFound("There is no price.")

    async def soonest(self) -> datetime:
        """As the port says."""
        return NOW

    async def doubts(self, entry: PriceEntry) -> tuple[str, ...]:
        """As the port says."""
        return ()

    async def change(self, principal: Principal, entry: PriceEntry) -> ModelPrices:
        """As the port says."""
        return ModelPrices(entry.factory, entry.model_code, (), {})
