"""Whether models can be called at all hours at prices that somebody looked at."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from callsheet.kit.errors import Unpriced
from callsheet.ledger.price.book import PriceBook
from callsheet.ledger.price.price import TOKEN, Price
from callsheet.ledger.price.quote import Quote
from callsheet.ledger.price.store import PriceTable
from callsheet.ledger.price.window import open_windows

# Hour by hour: what windows leave out is wider than that in every price list.
_HOURS: Final = tuple(timedelta(hours=hour) for hour in range(1, 7 * 24 + 1))
_SOON: Final = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class PriceFinding:
    """What is wrong with a model's prices, and what mends it."""

    factory: str
    model_code: str
    detail: str


def price_findings(
    factory: str, model_code: str, table: PriceTable, currency: str, now: datetime
) -> list[PriceFinding]:
    """The findings about one model that answers chats; none where all is well."""
    found = _told(table.book(currency), factory, model_code, table, now)
    return [PriceFinding(factory, model_code, detail) for detail in found]


def _told(
    book: PriceBook, factory: str, model_code: str, table: PriceTable, now: datetime
) -> Iterator[str]:
    try:
        quote = book.quote(factory, model_code, now)
    except Unpriced as error:
        yield str(error)
        return
    rows = [row for row in table.prices if (row.factory, row.model_code) == (factory, model_code)]
    valid = [row for row in rows if row.holds_at(now)]
    yield from _of_quote(quote, valid, f"{factory}/{model_code}")
    known = {window.code for window in table.windows} | {"any"}
    for code in sorted({row.window_code for row in valid} - known):
        yield f"The hours of its window {code!r} are not known: import the list that has them."
    ends = [row.valid_to for row in rows if row.valid_to and now < row.valid_to <= now + _SOON]
    hours = [now + hour for hour in _HOURS] if len({row.window_code for row in valid}) > 1 or (
        valid and valid[0].window_code != "any"
    ) else []  # fmt: skip
    codes = {row.window_code for row in valid}
    for moment in hours:
        together = sorted(open_windows(table.windows, moment) & codes)
        if len(together) > 1:
            yield (
                f"At {moment:%Y-%m-%d %H:%M}Z its windows {' and '.join(together)} are both open: "
                "no hour may be in two."
            )
            break
    for moment in sorted([*ends, *hours]):
        try:
            book.quote(factory, model_code, moment)
        except Unpriced as error:
            yield f"At {moment:%Y-%m-%d %H:%M}Z: {error}"
            return


def _of_quote(quote: Quote, valid: list[Price], name: str) -> Iterator[str]:
    if any(not row.verified for row in valid):
        sources = ", ".join(sorted({repr(row.source) for row in valid if not row.verified}))
        yield (
            f"Nobody verified its price (source {sources}). Compare it with the provider's list, "
            f"then set verified: true in config/llm_prices.yaml, or: callsheet prices set {name} "
            "... --verified"
        )
    if any(row.unit == TOKEN and row.input_per_million and not row.cached_per_million
           for row in valid):  # fmt: skip
        yield "Cached tokens cost 0, other input does not: enter the cache price, or the full one."
    if unit := quote.uncounted:
        yield f"It is priced per {unit}, which a chat does not count: set a price per token."
