"""The audit: SQL that anyone can run against the database, and what it must find.

Queries whose rows are `differences` return nothing in a sound database, at every commit.
`docs/cost-audit.md` shows the same text; a test keeps the two alike.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from callsheet.db.transaction import Database
from callsheet.ledger.audit import links, prices, reports, sums
from callsheet.ledger.audit.query import AuditQuery

# Sums over a million calls are sorted and hashed in memory, not on disk.
_ROOM: Final = "SET LOCAL work_mem = '64MB'"

QUERIES: Final = (
    AuditQuery(
        1, "Each message against its ledger rows", sums.MESSAGE_AGAINST_LEDGER, "differences"
    ),
    AuditQuery(
        2, "Each session against its messages", sums.SESSION_AGAINST_MESSAGES, "differences"
    ),
    AuditQuery(
        3,
        "Each call priced again from its own price row",
        prices.CALL_AGAINST_PRICE,
        "differences",
    ),
    AuditQuery(4, "Spend by day, factory and model", reports.SPEND_BY_DAY, "report"),
    AuditQuery(5, "What is not certain: estimated, open, cut", reports.UNCERTAIN_CALLS, "report"),
    AuditQuery(6, "Top spenders of today", reports.TOP_SPENDERS, "report"),
    AuditQuery(
        7,
        "Cost by purpose, stage and agent, and what was wasted",
        reports.COST_BY_PURPOSE,
        "report",
    ),
    AuditQuery(
        8,
        "Prices used outside their model, dates, tier or window",
        prices.PRICE_OUT_OF_PLACE,
        "differences",
    ),
    AuditQuery(
        9,
        "Each budget counter against the ledger rows of its period",
        sums.COUNTER_AGAINST_LEDGER,
        "differences",
    ),
    AuditQuery(
        10,
        "Calls in another currency than their message, or at another rate than the day's",
        prices.RATE_OUT_OF_PLACE,
        "differences",
    ),
    AuditQuery(11, "Prices with columns that are empty", prices.PRICE_WITH_GAPS, "differences"),
    AuditQuery(
        12,
        "Calls without the message, session or run that they belong to",
        links.CALL_WITHOUT_ITS_MESSAGE,
        "differences",
    ),
    AuditQuery(
        13, "More than one accounting currency", links.MORE_THAN_ONE_CURRENCY, "differences"
    ),
    AuditQuery(14, "What tools cost", reports.COST_BY_TOOL, "report"),
    AuditQuery(15, "This month by user", reports.MONTH_BY_USER, "report"),
    AuditQuery(16, "What caches saved", reports.CACHE_SAVINGS, "report"),
    AuditQuery(17, "Cost and latency by model", reports.COST_WITH_LATENCY, "report"),
    AuditQuery(18, "What was refused", reports.REFUSALS, "report"),
    AuditQuery(19, "Days that were corrected", reports.CORRECTED_DAYS, "report"),
    AuditQuery(20, "Budgets of the last day and the last month", reports.BUDGET_USE, "report"),
    AuditQuery(21, "Calls without a price", reports.UNPRICED_CALLS, "report"),
    AuditQuery(
        22, "Prices that hold now and that nobody verified", reports.UNVERIFIED_PRICES, "report"
    ),
)


@dataclass(frozen=True, slots=True)
class AuditResult:
    """What a query returned."""

    query: AuditQuery
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]


async def audit_results(
    database: Database, queries: Sequence[AuditQuery] = QUERIES
) -> AsyncIterator[AuditResult]:
    """What each query returns, all on one snapshot, so that a turn under way is no difference."""
    async with database.read() as connection:
        await connection.exec_driver_sql(_ROOM)
        for query in queries:
            found = await connection.exec_driver_sql(query.sql)
            rows = tuple(tuple(row) for row in found)
            yield AuditResult(query, tuple(found.keys()), rows)


async def run_audit(
    database: Database, queries: Sequence[AuditQuery] = QUERIES
) -> tuple[AuditResult, ...]:
    """What all queries return; a large ledger takes minutes."""
    return tuple([result async for result in audit_results(database, queries)])
