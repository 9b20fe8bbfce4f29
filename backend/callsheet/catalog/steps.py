"""Takes the steps of a plan, and says what each did."""

from __future__ import annotations

from datetime import datetime

from callsheet.catalog.price import PriceEntry, Terms
from callsheet.catalog.price_store import (
    BY_SEED,
    add_price,
    close_price,
    drop_price,
    mark_price,
)
from callsheet.catalog.report import Change
from callsheet.catalog.timeline import AddPrice, ClosePrice, DropPrice, MarkPrice, Step
from callsheet.db.transaction import Tx
from callsheet.kit.money import plain


async def take(tx: Tx, entry: PriceEntry, step: Step, by: str = BY_SEED) -> Change:
    """Take one step for the model of `entry`; `by` is who wants it."""
    match step:
        case AddPrice():
            await add_price(tx, step, by)
        case ClosePrice(ids=ids, end=end):
            await close_price(tx, ids, end)
        case DropPrice(ids=ids):
            await drop_price(tx, ids)
        case MarkPrice(ids=ids, verified=verified):
            await mark_price(tx, ids, verified=verified)
    return told(entry, step)


def told(entry: PriceEntry, step: Step) -> Change:
    """What the step does, or did."""
    name = entry.name if entry.window is None else f"{entry.name} ({entry.window})"
    match step:
        case AddPrice(start=start):
            charged = "; ".join(map(describe, step.entry.terms))
            return Change("price", name, "added", f"from {_minute(start)}: {charged}")
        case ClosePrice(end=end):
            return Change("price", name, "closed", f"at {_minute(end)}")
        case DropPrice():
            return Change("price", name, "dropped", "no call was booked with it")
        case MarkPrice(verified=verified):
            return Change("price", name, "changed", f"verified: {str(verified).lower()}")


def describe(terms: Terms) -> str:
    """One row for people: 'up to 32000: 1.2 in, 0.24 cached, 6 out, USD per million tokens'."""
    if terms.unit != "token":
        return (
            f"{plain(terms.per_unit or terms.input_per_million)} {terms.currency} per {terms.unit}"
        )
    parts = [
        f"{plain(value)} {word}"
        for word, value in (
            ("in", terms.input_per_million),
            ("cached", terms.cached_per_million),
            ("explicitly cached", terms.explicit_cached_per_million),
            ("cache write", terms.cache_write_per_million),
            ("out", terms.output_per_million),
            ("reasoning", terms.reasoning_per_million),
        )
        if value is not None
    ]
    size = ""
    if terms.tier_max_input is not None:
        size = f"up to {terms.tier_max_input}: "
    elif terms.tier_min_input:
        size = f"over {terms.tier_min_input}: "
    return f"{size}{', '.join(parts)}, {terms.currency} per million tokens"


def _minute(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M}Z"
