"""The cases of `usage_cases.json`: raw usage, normal form, cost to the last digit."""

from __future__ import annotations

import json
from decimal import Decimal
from functools import reduce
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from callsheet.events.usage import Usage
from callsheet.ledger.price.price import Price
from callsheet.ledger.price.quote import Quote
from callsheet.llm.usage.fold import folded

_FILE: Final = Path(__file__).parents[1] / "cases" / "usage_cases.json"
CASES: Final[list[dict[str, Any]]] = json.loads(_FILE.read_text("utf-8"))["cases"]
NAMED: Final = {case["name"]: case for case in CASES}
ESTIMATE: Final = Usage(input_tokens=50, output_tokens=20, reasoning_tokens=5)


def raw_of(case: dict[str, Any]) -> Any:
    """The usage object of a case; that of a stream is folded, as the reader of chunks does."""
    raw = case["raw_usage"]
    return reduce(folded, raw, None) if isinstance(raw, list) else raw


def usage_of(case: dict[str, Any]) -> Usage:
    """The normal form that a case expects."""
    expected = case["expected"]
    return Usage(**{key: value for key, value in expected.items() if key.endswith("_tokens")})


def quote_of(case: dict[str, Any]) -> Quote:
    """The prices of a case."""
    given = case["price_per_1m"]
    tiers = given.get("tiers") or [given]
    borders = [0, *(tier.get("max_input") for tier in tiers)]
    prices = [
        _price(number, given["currency"], tier, borders[number])
        for number, tier in enumerate(tiers)
    ]
    return Quote(tuple(prices), given["currency"], given["currency"])


def _price(number: int, currency: str, tier: dict[str, Any], above: int) -> Price:
    def amount(key: str) -> Decimal | None:
        return Decimal(tier[key]) if key in tier else None

    return Price(
        id=UUID(int=number + 1),
        factory="f",
        model_code="m",
        currency=currency,
        valid_from=None,
        valid_to=None,
        input_per_million=Decimal(tier["input"]),
        cached_per_million=Decimal(tier["cached"]),
        cache_write_per_million=amount("cache_write"),
        output_per_million=Decimal(tier["output"]),
        reasoning_per_million=amount("reasoning"),
        explicit_cached_per_million=amount("explicit_cached"),
        tier_min_input=above,
        tier_max_input=tier.get("max_input"),
    )
