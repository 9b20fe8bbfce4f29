"""What one currency is worth in another, and from when."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class FxRate:
    """One `base` costs `rate` units of `quote` from `valid_from` until the pair's next rate."""

    base: str
    quote: str
    rate: Decimal
    valid_from: datetime
    source: str = ""


def rate_at(rates: Iterable[FxRate], base: str, quote: str, moment: datetime) -> FxRate | None:
    """The rate in force then; the same pair the other way round is another rate, and not used."""
    begun = [
        rate
        for rate in rates
        if (rate.base, rate.quote) == (base, quote) and rate.valid_from <= moment
    ]
    return max(begun, key=lambda rate: rate.valid_from, default=None)
