"""Prices for tests."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from callsheet.ledger.price.price import Price

START = datetime(2026, 1, 1, tzinfo=UTC)


def price(number: int = 1, **changes: Any) -> Price:
    """Five prices that no two sums share; `changes` replaces any of them."""
    values: dict[str, Any] = {
        "id": UUID(int=number),
        "factory": "f",
        "model_code": "m",
        "currency": "USD",
        "valid_from": START,
        "valid_to": None,
        "input_per_million": Decimal(7),
        "cached_per_million": Decimal(2),
        "cache_write_per_million": Decimal(11),
        "output_per_million": Decimal(31),
        "reasoning_per_million": Decimal(101),
        **changes,
    }
    return Price(**values)
