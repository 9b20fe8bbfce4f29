"""What calls that are open are priced with, also for a process that did not open them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final
from uuid import UUID

from sqlalchemy import text

from callsheet.db.transaction import Read
from callsheet.events.call import LlmCallStarted
from callsheet.kit.errors import Unpriced
from callsheet.ledger.price.book import PriceBook
from callsheet.ledger.price.quote import Quote
from callsheet.ledger.price.store import PriceTable, load_price_table

_ROWS: Final = text("SELECT id::text FROM llm_calls WHERE run_id = :run_id")


async def quotes_of(tx: Read, run_id: UUID, calls: Iterable[LlmCallStarted]) -> Mapping[str, Quote]:
    """The quotes of these calls of a run, by id; a call that was refused has none.

    They are what the calls were opened with, whatever prices and rates were set since.
    """
    have_rows = set((await tx.execute(_ROWS, {"run_id": run_id})).scalars())
    table = await load_price_table(tx)
    return {call.call_id: _quote(call, table) for call in calls if call.call_id in have_rows}


def _quote(call: LlmCallStarted, table: PriceTable) -> Quote:
    currency, native = call.currency, call.price_currency or call.currency
    rows = tuple(row for row in table.prices if str(row.id) == call.price_id)
    if rows:
        book = PriceBook(currency=native)
        book.replace(table.prices, table.windows)
        try:
            then = book.quote(call.factory, call.model, call.started_at)
        except Unpriced:
            then = Quote(rows, native, native)
        if rows[0] in then.prices:  # with its tiers: the input may be of another than was thought
            return replace(then, currency=currency, fx_rate=call.fx_rate)
    return Quote(rows, native, currency, call.fx_rate)
