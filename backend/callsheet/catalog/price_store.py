"""The SQL of `llm_prices`, as far as seeding writes it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from datetime import datetime
from typing import Final
from uuid import UUID

from sqlalchemy import delete, exists, func, insert, select, update
from sqlalchemy.dialects.postgresql import Range

from callsheet.catalog.price import Rates
from callsheet.catalog.timeline import FOREVER, AddPrice, StoredPrice
from callsheet.db.tables.llm_call import LlmCall
from callsheet.db.tables.llm_price import LlmPrice
from callsheet.db.transaction import Read, Tx
from callsheet.kit.ids import new_id

ModelKey = tuple[str, str]
"""Factory name and model code."""

_BY: Final = "seed"
_RATES: Final = tuple(name for name in Rates.model_fields if name != "currency")


async def read_prices(tx: Read) -> Mapping[ModelKey, list[StoredPrice]]:
    """Every row for tokens, by model; tiers and windows were entered by hand."""
    used = exists().where(LlmCall.price_id == LlmPrice.id)
    rows = await tx.execute(
        select(LlmPrice.__table__, used.label("used")).where(LlmPrice.unit == "token")
    )
    found: defaultdict[ModelKey, list[StoredPrice]] = defaultdict(list)
    for row in rows:
        values = row._mapping
        rates = Rates(currency=row.currency, **{name: values[name] for name in _RATES})
        price = StoredPrice(
            id=row.id,
            start=row.effective.lower,
            end=row.effective.upper or FOREVER,
            rates=rates,
            used=row.used,
            by_hand=row.created_by != _BY,
            verified=row.verified,
        )
        found[row.factory, row.model_code].append(price)
    return found


async def add_price(tx: Tx, step: AddPrice) -> None:
    """Begin a price."""
    entry = step.entry
    until = None if step.end == FOREVER else step.end
    await tx.execute(
        insert(LlmPrice).values(
            id=new_id(),
            factory=entry.factory,
            model_code=entry.model_code,
            effective=Range(step.start, until, bounds="[)"),
            source=entry.source,
            verified=entry.verified,
            created_by=_BY,
            **entry.rates.model_dump(),
        )
    )


async def close_price(tx: Tx, id_: UUID, end: datetime) -> None:
    """Let a price end; a used one may be closed, never changed otherwise."""
    closed = func.tstzrange(func.lower(LlmPrice.effective), end, "[)")
    await tx.execute(update(LlmPrice).where(LlmPrice.id == id_).values(effective=closed))


async def drop_price(tx: Tx, id_: UUID) -> None:
    """Remove a price that no call was booked with."""
    await tx.execute(delete(LlmPrice).where(LlmPrice.id == id_))


async def mark_price(tx: Tx, id_: UUID, *, verified: bool) -> None:
    """Say whether somebody compared the price with the vendor's list; it costs the same."""
    await tx.execute(update(LlmPrice).where(LlmPrice.id == id_).values(verified=verified))
