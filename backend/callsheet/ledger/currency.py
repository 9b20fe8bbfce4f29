"""One accounting currency for all that was ever stored."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final, NamedTuple

from sqlalchemy import text

from callsheet.db.transaction import Database
from callsheet.kit.errors import SetupError
from callsheet.ledger.price.fx_rate import FxRate, rate_at
from callsheet.ledger.price.price import Price

UNRATED: Final = "The server does not start: no rate"
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
    names = unrated(
        (
            Span(f"{each.factory}/{each.model_code}", each.currency, each.valid_from, each.valid_to)
            for each in prices
        ),
        currency,
        now,
        rates,
    )
    if names:
        raise SetupError(without_rate(names, currency))


class Span(NamedTuple):
    """In which currency a model is priced from when until when; None: open at that end."""

    name: str
    currency: str
    valid_from: datetime | None
    valid_to: datetime | None


def unrated(
    spans: Iterable[Span], currency: str, now: datetime, rates: Sequence[FxRate]
) -> tuple[str, ...]:
    """The models, with the currency, of the prices of now or later that have no rate then."""
    names = {
        f"{span.name} ({span.currency})"
        for span in spans
        if span.currency != currency
        and (span.valid_to is None or span.valid_to > now)
        and rate_at(rates, span.currency, currency, max(span.valid_from or now, now)) is None
    }
    return tuple(sorted(names))


def without_rate(names: Iterable[str], currency: str) -> str:
    """What is told of these models: where the server starts, and where it would not."""
    return (
        f"{UNRATED} to {currency}, the accounting currency, is in force "
        f"for the price of {', '.join(names)}. Put one into config/fx_rates.yaml, or `callsheet "
        f"prices fx set <currency> {currency} <rate>`; or set CALLSHEET_CURRENCY to theirs."
    )
