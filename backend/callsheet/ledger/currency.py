"""One accounting currency for all that was ever stored."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import text

from callsheet.db.transaction import Database
from callsheet.kit.errors import SetupError
from callsheet.ledger.price import Price

_OTHERS = text("SELECT currency FROM messages WHERE currency <> :currency LIMIT 1")


async def check_currency(database: Database, currency: str) -> None:
    """Raise SetupError where messages are booked in another currency: sums would mean nothing."""
    async with database.read() as tx:
        other = (await tx.execute(_OTHERS, {"currency": currency})).scalar()
    if other is not None:
        raise SetupError(
            f"Messages are booked in {other}, the accounting currency is set to {currency}. "
            f"Set CALLSHEET_CURRENCY={other}, or start with an empty database."
        )


def check_prices(prices: Iterable[Price], currency: str, now: datetime) -> None:
    """Raise SetupError where a price of now or later is in another currency than the accounts."""
    others = {
        f"{price.factory}/{price.model_code} ({price.currency})"
        for price in prices
        if price.currency != currency and (price.valid_to is None or price.valid_to > now)
    }
    if others:
        raise SetupError(
            f"The accounting currency is {currency}, but config/llm_prices.yaml prices "
            f"{', '.join(sorted(others))}. Give these prices in {currency}, or set "
            "CALLSHEET_CURRENCY to theirs."
        )
