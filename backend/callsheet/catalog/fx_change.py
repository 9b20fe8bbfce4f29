"""Begins rates of exchange while the product runs."""

from __future__ import annotations

from datetime import datetime

from callsheet.catalog.catalog_store import lock_catalog
from callsheet.catalog.fx import FxEntry
from callsheet.catalog.fx_store import add_rate, converted_since, drop_rate, stored_rate
from callsheet.catalog.report import Change
from callsheet.db.transaction import Tx
from callsheet.kit.errors import BadInput, Conflict
from callsheet.kit.money import plain


async def change_rate(tx: Tx, entry: FxEntry, now: datetime) -> tuple[Change, ...]:
    """Let the rate hold from its `valid_from` until the pair's next; nothing where it does.

    Raises:
        BadInput: a currency to itself.
        Conflict: calls were converted since `valid_from`.
    """
    if entry.base == entry.quote:
        raise BadInput(f"One {entry.base} is one {entry.quote}.", field="quote")
    await lock_catalog(tx)
    stored = await stored_rate(tx, entry.base, entry.quote, entry.valid_from)
    if stored == entry.rate:
        return ()
    if entry.valid_from < now and await converted_since(
        tx, entry.base, entry.quote, entry.valid_from
    ):
        raise Conflict(
            f"Calls priced in {entry.base} were booked in {entry.quote} since "
            f"{entry.valid_from:%Y-%m-%d %H:%M:%S}Z; their rate stays. Begin the new one now or "
            "later.",
            code="rate_used",
        )
    if stored is not None:
        await drop_rate(tx, entry)
    await add_rate(tx, entry)
    name = f"{entry.base}/{entry.quote} from {entry.valid_from:%Y-%m-%d %H:%M}Z"
    return (Change("rate", name, "added" if stored is None else "changed", plain(entry.rate)),)
