"""Which models the files give a price that holds now."""

from __future__ import annotations

from datetime import datetime

from callsheet.catalog.files import Seeds


def priced_models(seeds: Seeds, currency: str, now: datetime) -> frozenset[tuple[str, str]]:
    """Factory and code of each; one in another currency than `currency` needs a rate of the file.

    A price of a window alone counts: `callsheet prices check` looks at every hour.
    """
    rated = {
        rate.base for rate in seeds.rates.rates if rate.quote == currency and rate.valid_from <= now
    }
    return frozenset(
        (entry.factory, entry.model_code)
        for entry in seeds.entries
        if entry.valid_from <= now and entry.currency in {currency, *rated}
    )
