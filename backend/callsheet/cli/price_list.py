"""A price list of a file, as rows that calls can be priced with."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from uuid import uuid4
from zoneinfo import ZoneInfo

from callsheet.catalog.files import load_price_list
from callsheet.catalog.price import PriceEntry
from callsheet.ledger.price.price import Price
from callsheet.ledger.price.window import PriceWindow


def read_price_list(file: Path) -> tuple[tuple[Price, ...], tuple[PriceWindow, ...]]:
    """The rows and windows of a file with the form of `llm_prices.yaml`; nothing is stored.

    Raises:
        ConfigError: every problem of the file.
    """
    listed = load_price_list(file)
    lines: defaultdict[tuple[str, str, str], list[PriceEntry]] = defaultdict(list)
    for entry in (*listed.prices, *listed.unlisted):
        lines[entry.factory, entry.model_code, entry.window_code].append(entry)
    prices = tuple(price for line in lines.values() for price in _time_line(line))
    windows = tuple(
        PriceWindow(
            window.code,
            ZoneInfo(hours.timezone),
            frozenset(hours.weekdays),
            hours.start,
            hours.end,
        )
        for window in listed.windows
        for hours in window.hours
    )
    return prices, windows


def _time_line(entries: list[PriceEntry]) -> list[Price]:
    """Each entry until the next one begins, a row for each of its tiers."""
    ordered = sorted(entries, key=lambda entry: entry.valid_from)
    ends = [*(entry.valid_from for entry in ordered[1:]), None]
    return [
        Price(
            id=uuid4(),
            factory=entry.factory,
            model_code=entry.model_code,
            currency=terms.currency,
            valid_from=entry.valid_from,
            valid_to=end,
            input_per_million=terms.input_per_million,
            cached_per_million=terms.cached_per_million,
            cache_write_per_million=terms.cache_write_per_million,
            output_per_million=terms.output_per_million,
            reasoning_per_million=terms.reasoning_per_million,
            explicit_cached_per_million=terms.explicit_cached_per_million,
            unit=terms.unit,
            per_unit=terms.per_unit,
            tier_min_input=terms.tier_min_input,
            tier_max_input=terms.tier_max_input,
            window_code=entry.window_code,
            source=entry.source,
            verified=entry.verified,
        )
        for entry, end in zip(ordered, ends, strict=True)
        for terms in entry.terms
    ]
