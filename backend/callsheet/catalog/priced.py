"""Which models the files give a price that holds now, and in which currencies they are priced."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime

from callsheet.catalog.files import Seeds
from callsheet.catalog.price import PriceEntry


def priced_models(seeds: Seeds, now: datetime) -> frozenset[tuple[str, str]]:
    """Factory and code of each.

    A price of a window alone counts: `callsheet prices check` looks at every hour.
    """
    return frozenset(
        (entry.factory, entry.model_code) for entry in seeds.entries if entry.valid_from <= now
    )


def entries_with_ends(seeds: Seeds) -> Iterator[tuple[PriceEntry, datetime | None]]:
    """Every price with the moment at which the next of its model and window begins."""
    lanes: defaultdict[tuple[str, str], list[PriceEntry]] = defaultdict(list)
    for entry in sorted(seeds.entries, key=lambda each: each.valid_from):
        lanes[entry.name, entry.window_code].append(entry)
    for lane in lanes.values():
        ends = [*(entry.valid_from for entry in lane[1:]), None]
        yield from zip(lane, ends, strict=True)
