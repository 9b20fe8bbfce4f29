"""The SQL of `fx_rates`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal

from sqlalchemy import delete, exists, insert, select

from callsheet.catalog.fx import FxEntry
from callsheet.db.tables.fx_rate import FxRate
from callsheet.db.tables.llm_call import LlmCall
from callsheet.db.transaction import Read, Tx


async def stored_rates(tx: Read) -> Sequence[FxRate]:
    """Every rate, each pair's in the order in which they begin; read only."""
    query = select(FxRate.__table__).order_by(FxRate.base, FxRate.quote, FxRate.valid_from)
    return [FxRate(**row._asdict()) for row in await tx.execute(query)]


async def stored_rate(tx: Read, base: str, quote: str, valid_from: datetime) -> Decimal | None:
    """The rate of the pair that begins at that very moment."""
    query = select(FxRate.rate).where(
        FxRate.base == base, FxRate.quote == quote, FxRate.valid_from == valid_from
    )
    return (await tx.execute(query)).scalar_one_or_none()


async def has_rate(tx: Read, base: str, quote: str, moment: datetime) -> bool:
    """Whether a rate of the pair is in force then."""
    begun = exists().where(FxRate.base == base, FxRate.quote == quote, FxRate.valid_from <= moment)
    return bool((await tx.execute(select(begun))).scalar_one())


async def converted_since(tx: Read, base: str, quote: str, moment: datetime) -> bool:
    """Whether a call priced in `base` was booked in `quote` then or later."""
    since = exists().where(
        LlmCall.price_currency == base, LlmCall.currency == quote, LlmCall.started_at >= moment
    )
    return bool((await tx.execute(select(since))).scalar_one())


async def add_rate(tx: Tx, entry: FxEntry) -> None:
    """Store a rate; one of the same moment has to be gone."""
    await tx.execute(insert(FxRate).values(**entry.model_dump()))


async def drop_rate(tx: Tx, entry: FxEntry) -> None:
    """Remove the pair's rate that begins at the entry's moment."""
    await tx.execute(
        delete(FxRate).where(
            FxRate.base == entry.base,
            FxRate.quote == entry.quote,
            FxRate.valid_from == entry.valid_from,
        )
    )
