"""What calls would have cost under other price rows. Nothing is written."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Final

import msgspec
from sqlalchemy import text

from callsheet.db.transaction import Read
from callsheet.events.usage import MeteredUsage, Usage
from callsheet.kit.errors import Unpriced
from callsheet.ledger.price.book import PriceBook
from callsheet.ledger.price.fx_rate import FxRate
from callsheet.ledger.price.price import REQUEST, TOKEN, Price
from callsheet.ledger.price.window import PriceWindow
from callsheet.ledger.report.ask import Filters
from callsheet.ledger.report.period import Period
from callsheet.ledger.report.store import chosen, where

BATCH: Final = 2000
_ALWAYS: Final = datetime.min.replace(tzinfo=UTC)
_NOTHING: Final = Decimal(0)
_SELECT: Final = """
SELECT c.factory, c.model_code, c.started_at, c.input_tokens, c.cached_tokens,
       c.cache_write_tokens, c.output_tokens, c.reasoning_tokens, c.cache_type, c.units,
       c.usage_source, c.unpriced, c.cost_exact, p.unit
FROM llm_calls c
LEFT JOIN llm_prices p ON p.id = c.price_id
WHERE c.status <> 'open' AND """


@dataclass(frozen=True, slots=True)
class EndedCall:
    """What is needed of a call to price it again; `booked` and `unit` None: it has no price.

    `unit` is that of the price it was booked with, and so of its `metered.units`.
    """

    factory: str
    model_code: str
    started_at: datetime
    metered: MeteredUsage
    booked: Decimal | None
    unit: str | None = TOKEN


@dataclass(slots=True)
class Repriced:
    """A model's calls under both prices, in the accounting currency.

    `booked` and `would` are of the same calls: those that have a price both then and now.
    `without` calls have no price, or one in units that were not counted, under the others: what
    they would cost is not known, `without_booked` is what they did. `unpriced` calls were booked
    without a price; those that have one under the others would have cost `unpriced_would`.
    """

    factory: str
    model_code: str
    calls: int = 0
    booked: Decimal = _NOTHING
    would: Decimal = _NOTHING
    without: int = 0
    without_booked: Decimal = _NOTHING
    unpriced: int = 0
    unpriced_would: Decimal = _NOTHING

    @property
    def difference(self) -> Decimal:
        """What they would have cost more."""
        return self.would - self.booked

    @property
    def percent(self) -> Decimal | None:
        """The difference to what is booked; None where nothing is."""
        return round(100 * self.difference / self.booked, 2) if self.booked else None


class Repricing:
    """Adds up call by call."""

    def __init__(self, book: PriceBook) -> None:
        self._book = book
        self._models: dict[tuple[str, str], Repriced] = {}

    def add(self, calls: Iterable[EndedCall]) -> None:
        """Price these calls again."""
        for call in calls:
            key = (call.factory, call.model_code)
            model = self._models.get(key)
            if model is None:
                model = self._models[key] = Repriced(*key)
            _add(model, call, self._cost(call))

    @property
    def models(self) -> tuple[Repriced, ...]:
        """Every model that was called, by name."""
        return tuple(self._models[key] for key in sorted(self._models))

    def _cost(self, call: EndedCall) -> Decimal | None:
        try:
            quote = self._book.quote(call.factory, call.model_code, call.started_at)
        except Unpriced:
            return None
        if not _is_counted(call, quote.unit):
            return None
        metered = call.metered
        if call.unit != quote.unit:  # its units are of another kind
            metered = msgspec.structs.replace(metered, units=_NOTHING)
        return quote.cost(quote.counted(metered)).exact


def book_as_of(
    prices: Iterable[Price],
    windows: Iterable[PriceWindow],
    rates: Sequence[FxRate],
    moment: datetime,
    currency: str,
) -> PriceBook:
    """The rows that are valid at `moment`, as if they always were.

    Tiers and windows are judged by each call's own size and start. So is the rate of exchange,
    that the price lists alone make the difference; before a pair's first rate that one holds.
    """
    held = [
        replace(price, valid_from=None, valid_to=None) for price in prices if price.holds_at(moment)
    ]
    first: dict[tuple[str, str], FxRate] = {}
    for rate in sorted(rates, key=lambda rate: rate.valid_from):
        first.setdefault((rate.base, rate.quote), rate)
    reaching_back = [replace(rate, valid_from=_ALWAYS) for rate in first.values()]
    book = PriceBook(currency=currency)
    book.replace(held, windows, [*reaching_back, *rates])
    return book


async def ended_calls(
    tx: Read, period: Period, filters: Filters, batch: int = BATCH
) -> AsyncIterator[list[EndedCall]]:
    """The calls of a period that have ended, oldest first, `batch` at a time."""
    sql = f"{_SELECT}{where(filters)}\nORDER BY c.started_at, c.id"
    values = chosen(period, filters)
    async with tx.stream(text(sql), values, execution_options={"yield_per": batch}) as found:
        async for rows in found.partitions(batch):
            yield [
                EndedCall(
                    row.factory,
                    row.model_code,
                    row.started_at,
                    MeteredUsage(
                        usage=Usage(
                            input_tokens=row.input_tokens,
                            output_tokens=row.output_tokens,
                            cached_tokens=row.cached_tokens,
                            cache_write_tokens=row.cache_write_tokens,
                            reasoning_tokens=row.reasoning_tokens,
                        ),
                        source=row.usage_source,
                        cache_type=row.cache_type,
                        units=row.units,
                    ),
                    None if row.unpriced else row.cost_exact,
                    row.unit,
                )
                for row in rows
            ]


def _is_counted(call: EndedCall, unit: str) -> bool:
    """Whether what a price is for was counted: seconds are not known of a call in tokens."""
    tokens, units = call.metered.usage.total_tokens, call.metered.units
    if unit == REQUEST or not (tokens or units):
        return True
    return tokens > 0 if unit == TOKEN else call.unit == unit


def _add(model: Repriced, call: EndedCall, would: Decimal | None) -> None:
    model.calls += 1
    model.unpriced += call.booked is None
    if would is None:
        model.without += 1
        model.without_booked += call.booked or _NOTHING
    elif call.booked is None:
        model.unpriced_would += would
    else:
        model.booked += call.booked
        model.would += would
