"""One accounting currency for all that was ever stored."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from sqlalchemy import text

from callsheet.db.transaction import Database
from callsheet.kit.errors import SetupError
from callsheet.ledger.price.fx_rate import FxRate, rate_at
from callsheet.ledger.price.price import Price

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


def check_prices(
    prices: Iterable[Price], currency: str, now: datetime, rates: Sequence[FxRate] = ()
) -> None:
    """Raise SetupError where a price of now or later is in a currency that has no rate then."""
    others = {
        f"{price.factory}/{price.model_code} ({price.currency})"
        for price in prices
        if price.currency != currency
        and (price.valid_to is None or price.valid_to > now)
        and rate_at(rates, price.currency, currency, max(price.valid_from or now, now)) is None
    }
    if others:
        raise SetupError(
            f"The accounting currency is {currency}, and no rate to it is in force for "
            f"{', '.join(sorted(others))}. Put one into config/fx_rates.yaml, or `callsheet prices "
            f"fx set <currency> {currency} <rate>`; or set CALLSHEET_CURRENCY to theirs."
        )
