"""Which models the files give a price that holds now."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from callsheet.catalog.files import Seeds


def priced_models(seeds: Seeds, currency: str, now: datetime) -> frozenset[tuple[str, str]]:
    """Factory and code of each; one in another currency than `currency` needs a rate of the file.

    A price of a window alone counts: `callsheet prices check` looks at every hour.
    """
    rated = _rated(seeds, currency, now)
    return frozenset(
        (entry.factory, entry.model_code)
        for entry in seeds.entries
        if entry.valid_from <= now and entry.currency in rated
    )


def unrated_models(
    seeds: Seeds, currency: str, now: datetime
) -> Mapping[tuple[str, str], tuple[str, str]]:
    """Models that have a price in a currency without a rate: that currency, and `currency`."""
    rated = _rated(seeds, currency, now)
    return {
        (entry.factory, entry.model_code): (entry.currency, currency)
        for entry in seeds.entries
        if entry.valid_from <= now and entry.currency not in rated
    }


def _rated(seeds: Seeds, currency: str, now: datetime) -> frozenset[str]:
    rates = (rate for rate in seeds.rates.rates if rate.quote == currency)
    return frozenset([currency, *(rate.base for rate in rates if rate.valid_from <= now)])
