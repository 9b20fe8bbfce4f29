"""The SQL of `price_windows`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from sqlalchemy import delete, exists, insert, select

from callsheet.catalog.window import Hours, Window
from callsheet.db.tables.llm_call import LlmCall
from callsheet.db.tables.llm_price import LlmPrice
from callsheet.db.tables.price_window import PriceWindow
from callsheet.db.transaction import Read, Tx


async def read_windows(tx: Read) -> Mapping[str, frozenset[Hours]]:
    """The spans of every window, by its code."""
    found: defaultdict[str, set[Hours]] = defaultdict(set)
    for row in await tx.execute(select(PriceWindow.__table__)):
        days = tuple(sorted(set(row.weekdays)))
        found[row.code].add(Hours(row.timezone, days, row.from_time, row.to_time))
    return {code: frozenset(spans) for code, spans in found.items()}


async def is_used(tx: Read, code: str) -> bool:
    """Whether a call was booked with a price of that window."""
    used = exists().where(LlmPrice.window_code == code, LlmCall.price_id == LlmPrice.id)
    return bool((await tx.execute(select(used))).scalar_one())


async def put_window(tx: Tx, window: Window) -> None:
    """Store the window instead of what stood under its code; the database refuses a used one."""
    await tx.execute(delete(PriceWindow).where(PriceWindow.code == window.code))
    rows = [
        {
            "code": window.code,
            "timezone": span.timezone,
            "weekdays": list(span.weekdays),
            "from_time": span.start,
            "to_time": span.end,
        }
        for span in window.hours
    ]
    await tx.execute(insert(PriceWindow), rows)
