"""The SQL of `llm_prices`, as far as it is written."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from typing import Final
from uuid import UUID

from sqlalchemy import delete, exists, func, insert, select, text, update
from sqlalchemy.dialects.postgresql import Range

from callsheet.catalog.price import ANY_TIME, PriceEntry, Terms
from callsheet.catalog.timeline import BEGINNING, FOREVER, AddPrice, StoredPrice
from callsheet.db.tables.llm_call import LlmCall
from callsheet.db.tables.llm_price import LlmPrice
from callsheet.db.transaction import Read, Tx
from callsheet.kit.ids import new_id

Lane = tuple[str, str, str]
"""Factory name, model code and window code: prices of one lane follow each other in time."""

BY_SEED: Final = "seed"
_INFINITE: Final = (text("'-infinity'"), text("'infinity'"))
_TERMS: Final = tuple(field.name for field in fields(Terms))


def lane_of(entry: PriceEntry) -> Lane:
    """The lane that the entry belongs to."""
    return entry.factory, entry.model_code, entry.window_code


async def read_prices(
    tx: Read, models: Collection[tuple[str, str]] | None = None
) -> Mapping[Lane, list[StoredPrice]]:
    """The stored prices by lane; of these (factory, model code) where any are named.

    The tiers that hold for the same time are one price.
    """
    used = exists().where(LlmCall.price_id == LlmPrice.id)
    query = select(
        LlmPrice.__table__,
        func.nullif(func.lower(LlmPrice.effective), _INFINITE[0]).label("start"),
        func.nullif(func.upper(LlmPrice.effective), _INFINITE[1]).label("end"),
        used.label("used"),
    ).order_by(LlmPrice.tier_min_input)
    if models is not None:
        query = query.where(LlmPrice.model_code.in_({code for _, code in models}))
    periods: defaultdict[Lane, dict[tuple[datetime, datetime], list[StoredPrice]]]
    periods = defaultdict(dict)
    for row in await tx.execute(query):
        values = row._mapping
        price = StoredPrice(
            ids=(row.id,),
            start=row.start or BEGINNING,
            end=row.end or FOREVER,
            terms=(Terms(**{name: values[name] for name in _TERMS}),),
            used=row.used,
            by_hand=row.created_by != BY_SEED,
            verified=row.verified,
        )
        lane = periods[row.factory, row.model_code, row.window_code]
        lane.setdefault((price.start, price.end), []).append(price)
    return {
        lane: [_together(tiers) for tiers in by_period.values()]
        for lane, by_period in periods.items()
    }


def _together(tiers: Sequence[StoredPrice]) -> StoredPrice:
    return StoredPrice(
        ids=tuple(id_ for tier in tiers for id_ in tier.ids),
        start=tiers[0].start,
        end=tiers[0].end,
        terms=tuple(terms for tier in tiers for terms in tier.terms),
        used=any(tier.used for tier in tiers),
        by_hand=any(tier.by_hand for tier in tiers),
        verified=all(tier.verified for tier in tiers),
    )


async def add_price(tx: Tx, step: AddPrice, by: str = BY_SEED) -> None:
    """Begin a price: one row for each tier. `by` is who says so."""
    entry = step.entry
    start = None if step.start == BEGINNING else step.start
    until = None if step.end == FOREVER else step.end
    same = {
        "factory": entry.factory,
        "model_code": entry.model_code,
        "window_code": entry.window or ANY_TIME,
        "effective": Range(start, until, bounds="[)"),
        "source": entry.source,
        "verified": entry.verified,
        "created_by": by,
    }
    rows = [
        {"id": new_id(), **same, **{name: getattr(terms, name) for name in _TERMS}}
        for terms in entry.terms
    ]
    await tx.execute(insert(LlmPrice), rows)


async def close_price(tx: Tx, ids: Collection[UUID], end: datetime) -> None:
    """Let a price end; a used one may be closed, never changed otherwise."""
    closed = func.tstzrange(func.lower(LlmPrice.effective), end, "[)")
    await tx.execute(update(LlmPrice).where(LlmPrice.id.in_(ids)).values(effective=closed))


async def drop_price(tx: Tx, ids: Collection[UUID]) -> None:
    """Remove a price that no call was booked with."""
    await tx.execute(delete(LlmPrice).where(LlmPrice.id.in_(ids)))


async def mark_price(tx: Tx, ids: Collection[UUID], *, verified: bool) -> None:
    """Say whether somebody compared the price with the vendor's list; it costs the same."""
    await tx.execute(update(LlmPrice).where(LlmPrice.id.in_(ids)).values(verified=verified))


async def booked_since(tx: Read, factory: str, model_code: str, moment: datetime) -> bool:
    """Whether a call of the model started then or later."""
    since = exists().where(
        LlmCall.factory == factory, LlmCall.model_code == model_code, LlmCall.started_at >= moment
    )
    return bool((await tx.execute(select(since))).scalar_one())
