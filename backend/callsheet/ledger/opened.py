"""What calls that are open are priced with, also for a process that did not open them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.engine import Row

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
    return {call.call_id: quote_then(call, table) for call in calls if call.call_id in have_rows}


def quote_then(call: LlmCallStarted, table: PriceTable) -> Quote:
    """What the call was opened with."""
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


_LEFT_OPEN: Final = text("""
SELECT c.id::text, c.stage, c.agent, c.factory, c.model_code, c.started_at, c.price_id::text,
       c.reserved_cost, c.reserved_tokens, c.currency, c.price_currency, c.fx_rate, c.purpose,
       c.session_id, c.user_id
FROM llm_calls c
WHERE c.status = 'open' AND c.run_id IS NULL AND c.started_at < :before ORDER BY c.id LIMIT :most
""")


@dataclass(frozen=True, slots=True)
class LeftOpen:
    """A call of no run that nobody has ended."""

    session_id: UUID
    user_id: UUID
    started: LlmCallStarted


async def left_open(
    tx: Read, before: datetime, most_output_tokens: int, most: int = 100
) -> list[LeftOpen]:
    """The calls of no run that began before that moment; what is reserved tells their input."""
    rows = await tx.execute(_LEFT_OPEN, {"before": before, "most": most})
    return [_left_open(row, most_output_tokens) for row in rows]


def _left_open(row: Row[*tuple[Any, ...]], most_output_tokens: int) -> LeftOpen:
    started = LlmCallStarted(
        call_id=row.id,
        message_id="",
        agent_run_id="",
        stage=row.stage,
        agent=row.agent,
        task=row.purpose,
        factory=row.factory,
        model=row.model_code,
        attempt=1,
        started_at=row.started_at,
        price_id=row.price_id,
        reserved_cost=row.reserved_cost,
        reserved_tokens=row.reserved_tokens,
        currency=row.currency,
        price_currency=row.price_currency,
        fx_rate=row.fx_rate,
        visible=False,
        estimated_input_tokens=max(0, row.reserved_tokens - most_output_tokens),
        purpose=row.purpose,
    )
    return LeftOpen(row.session_id, row.user_id, started)
