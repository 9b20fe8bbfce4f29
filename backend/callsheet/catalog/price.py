"""Prices as their file says them."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated

from pydantic import AwareDatetime, Field, StringConstraints

from callsheet.catalog.catalog import Name
from callsheet.kit.yaml import Section

Money = Annotated[Decimal, Field(ge=0, max_digits=18, decimal_places=8)]
Currency = Annotated[str, StringConstraints(pattern=r"^[A-Z]{3}$")]


class Rates(Section):
    """What a million tokens costs, in `currency`.

    `cached` is for tokens the provider had in its cache; where it gives no discount it is the
    input price. What is left out costs the plain input or output price.
    """

    currency: Currency
    input_per_million: Money
    cached_per_million: Money
    output_per_million: Money
    explicit_cached_per_million: Money | None = None
    cache_write_per_million: Money | None = None
    reasoning_per_million: Money | None = None


class PriceEntry(Rates):
    """The rates of one model from `valid_from` on, until its next entry begins."""

    factory: Name
    model_code: Name
    valid_from: AwareDatetime
    source: str = Field(min_length=1)
    verified: bool = False

    @property
    def rates(self) -> Rates:
        """The money alone: two entries with equal rates cost the same."""
        return Rates(**{name: getattr(self, name) for name in Rates.model_fields})


class PriceList(Section):
    """The content of `llm_prices.yaml`; `unlisted` are models that no catalog has."""

    prices: tuple[PriceEntry, ...]
    unlisted: tuple[PriceEntry, ...] = ()
