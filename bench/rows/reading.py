"""How long a month takes to read: each view, and the reports of the product."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from datetime import date, timedelta
from typing import Final
from zoneinfo import ZoneInfo

import asyncpg

from callsheet.db.transaction import Database
from callsheet.ledger.report.ask import Ask, Dimension
from callsheet.ledger.report.period import Period
from callsheet.ledger.report.store import read_report

REPORTS: Final[tuple[tuple[Dimension, ...], ...]] = (
    ("model",),
    ("day", "model"),
    ("user",),
    ("stage", "agent"),
    ("workflow",),
)
_FILTERS: Final = {
    "v_price_history": "",
    "v_budget_use": "WHERE period_start >= '{first}' AND period_start < '{after}'",
}
_BY_DAY: Final = "WHERE day >= '{first}' AND day < '{after}'"
_VIEWS: Final = (
    "SELECT viewname FROM pg_views WHERE schemaname = 'public' AND viewname LIKE 'v\\_%' ORDER BY 1"
)


async def views_s(
    connection: asyncpg.Connection[asyncpg.Record], first: date, last: date, times: int
) -> dict[str, list[float]]:
    """View -> seconds to read all its rows of the days, as COPY sends them."""
    found = {}
    span = {"first": first, "after": last + timedelta(days=1)}
    for row in await connection.fetch(_VIEWS):
        view = row["viewname"]
        query = f"SELECT * FROM {view} {_FILTERS.get(view, _BY_DAY).format(**span)}"

        async def read(query: str = query) -> None:
            await connection.copy_from_query(query, output=_nowhere)

        found[view] = await _timed(read, times)
    return found


async def reports_s(
    database: Database, first: date, last: date, times: int
) -> dict[str, list[float]]:
    """Groups -> seconds that `callsheet report` waits for the database."""
    period = Period(first, last, ZoneInfo("UTC"))
    found = {}
    for by in REPORTS:

        async def read(by: tuple[Dimension, ...] = by) -> None:
            async with database.read() as tx:
                await read_report(tx, Ask(period, by))

        found[",".join(by)] = await _timed(read, times)
    return found


async def _nowhere(data: bytes) -> None:
    del data


async def _timed(work: Callable[[], Awaitable[None]], times: int) -> list[float]:
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        await work()
        taken.append(time.perf_counter() - began)
    return taken
