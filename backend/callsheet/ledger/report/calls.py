"""Single calls, for export and for a user's own list; never all in memory."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

from sqlalchemy import text

from callsheet.db.transaction import Read
from callsheet.kit.pages import Page, PageRequest, decode_cursor, encode_cursor
from callsheet.ledger.report.ask import Filters
from callsheet.ledger.report.column import Column, Kind
from callsheet.ledger.report.period import Period
from callsheet.ledger.report.store import chosen, where

BATCH: Final = 2000


@dataclass(frozen=True, slots=True)
class Call:
    """One request to a provider as the ledger has it.

    `cost` and `cost_native` are None where they are not known: the call is open, or has no price.
    """

    id: str
    started_at: datetime
    settled_at: datetime | None
    user: str
    session_id: str | None
    run_id: str | None
    message_id: str | None
    workflow: str | None
    purpose: str
    stage: str | None
    agent: str | None
    tool: str | None
    attempt: int
    factory: str
    model: str
    response_model: str | None
    upstream_id: str | None
    status: str
    usage_source: str | None
    usage_method: str | None
    unpriced: bool
    input_tokens: int
    cached_tokens: int
    cache_write_tokens: int
    output_tokens: int
    reasoning_tokens: int
    cache_type: str | None
    units: Decimal
    price_id: str | None
    price_currency: str
    cost_native: Decimal | None
    fx_rate: Decimal
    cost: Decimal | None
    currency: str
    reserved_cost: Decimal
    error_code: str | None


_KINDS: Final[dict[str, Kind]] = {
    "started_at": "moment",
    "settled_at": "moment",
    "attempt": "count",
    "unpriced": "flag",
    "units": "money",
    "cost_native": "money",
    "fx_rate": "rate",
    "cost": "money",
    "reserved_cost": "money",
}
CALL_COLUMNS: Final = tuple(
    Column(name, _KINDS.get(name, "count" if name.endswith("_tokens") else "text"))
    for name in Call.__slots__
)
_KNOWN: Final = "c.status <> 'open' AND NOT c.unpriced"
_SQL: Final = {
    "user": "u.name",
    "workflow": "r.workflow",
    "model": "c.model_code",
    "cost_native": f"CASE WHEN {_KNOWN} THEN c.cost_native END",
    "cost": f"CASE WHEN {_KNOWN} THEN c.cost_exact END",
    **{
        name: f"c.{name}::text" for name in ("id", "session_id", "run_id", "message_id", "price_id")
    },
}
_SELECT: Final = (
    "SELECT "
    + ", ".join(f'{_SQL.get(name, f"c.{name}")} AS "{name}"' for name in Call.__slots__)
    + """
FROM llm_calls c
JOIN users u ON u.id = c.user_id
LEFT JOIN runs r ON r.id = c.run_id"""
)


async def count_calls(tx: Read, period: Period, filters: Filters) -> int:
    """How many calls `stream_calls` will give."""
    sql = f"SELECT count(*) FROM llm_calls c WHERE {where(filters)}"  # noqa: S608
    return int((await tx.execute(text(sql), chosen(period, filters))).scalar_one())


async def stream_calls(
    tx: Read, period: Period, filters: Filters, batch: int = BATCH
) -> AsyncIterator[Sequence[Sequence[Any]]]:
    """The calls that started in the period, oldest first, as rows of `CALL_COLUMNS`.

    Read through a cursor of the server's, `batch` at a time.
    """
    sql = f"{_SELECT}\nWHERE {where(filters)}\nORDER BY c.started_at, c.id"
    values = chosen(period, filters)
    async with tx.stream(text(sql), values, execution_options={"yield_per": batch}) as found:
        async for partition in found.partitions(batch):
            yield partition


async def calls_after(
    tx: Read,
    period: Period,
    filters: Filters,
    after: tuple[datetime, str] | None,
    limit: int,
) -> list[Call]:
    """At most `limit` calls of the period, oldest first, after the one of that start and id.

    For readers that may be slow: between two pages nothing is held in the database.
    """
    values = {**chosen(period, filters), "limit": limit}
    sql = f"{_SELECT}\nWHERE {where(filters)}"
    if after is not None:
        sql += " AND (c.started_at, c.id) > (:after_at, CAST(:after_id AS uuid))"
        values |= {"after_at": after[0], "after_id": after[1]}
    sql += "\nORDER BY c.started_at, c.id\nLIMIT :limit"
    return [Call(*row) for row in (await tx.execute(text(sql), values)).all()]


async def recent_calls(tx: Read, user_id: UUID, page: PageRequest) -> Page[Call]:
    """The user's calls, newest first."""
    values: dict[str, Any] = {"user_id": user_id, "limit": page.limit + 1}
    sql = f"{_SELECT}\nWHERE c.user_id = :user_id"
    if page.cursor is not None:
        at, id_ = decode_cursor(page.cursor, datetime, UUID)
        sql += " AND (c.started_at, c.id) < (:before_at, :before_id)"
        values |= {"before_at": at, "before_id": id_}
    sql += "\nORDER BY c.started_at DESC, c.id DESC\nLIMIT :limit"
    calls = [Call(*row) for row in (await tx.execute(text(sql), values)).all()]
    shown = tuple(calls[: page.limit])
    more = len(calls) > page.limit
    return Page(shown, encode_cursor(shown[-1].started_at, UUID(shown[-1].id)) if more else None)
