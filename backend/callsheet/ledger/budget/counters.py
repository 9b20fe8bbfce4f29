"""The counters of days and months, held against the ledger that they were counted from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal
from zoneinfo import ZoneInfo

from sqlalchemy import RowMapping, text

from callsheet.db.transaction import Database, Read, Tx
from callsheet.ledger.budget.period import period_ends, period_starts
from callsheet.ledger.budget.standing import Spent
from callsheet.ledger.journal_store import lock_counters

_FROM_LEDGER: Final = """
SELECT k.scope, k.scope_id, k.period, k.period_start, count(*) AS calls,
       sum(c.input_tokens + c.output_tokens)::bigint AS tokens, sum(c.cost_exact) AS cost,
       sum(c.reserved_tokens)::bigint AS held_tokens, sum(c.reserved_cost) AS held_cost
FROM llm_calls c CROSS JOIN LATERAL (VALUES
    ('deployment', '', 'day', date_trunc('day', c.started_at, :zone)),
    ('deployment', '', 'month', date_trunc('month', c.started_at, :zone)),
    ('user', c.user_id::text, 'day', date_trunc('day', c.started_at, :zone)),
    ('user', c.user_id::text, 'month', date_trunc('month', c.started_at, :zone))
  ) AS k(scope, scope_id, period, period_start)
WHERE c.started_at >= :month AND c.started_at < :month_end
  AND k.period_start = CASE k.period WHEN 'day' THEN :day ELSE :month END
GROUP BY 1, 2, 3, 4
"""

_DIFFERENCES: Final = text(f"""
WITH l AS ({_FROM_LEDGER}), b AS (
  SELECT scope, scope_id, period, period_start, calls, tokens, cost,
         reserved_tokens AS held_tokens, reserved_cost AS held_cost
  FROM budget_counters
  WHERE (period = 'day' AND period_start = :day) OR (period = 'month' AND period_start = :month)
)
SELECT scope, scope_id, period, period_start,
       b.calls AS kept_calls, b.tokens AS kept_tokens, b.cost AS kept_cost,
       b.held_tokens AS kept_held_tokens, b.held_cost AS kept_held_cost,
       coalesce(l.calls, 0) AS calls, coalesce(l.tokens, 0) AS tokens,
       coalesce(l.cost, 0) AS cost, coalesce(l.held_tokens, 0) AS held_tokens,
       coalesce(l.held_cost, 0) AS held_cost
FROM l FULL JOIN b USING (scope, scope_id, period, period_start)
WHERE (b.calls, b.tokens, b.cost, b.held_tokens, b.held_cost) IS DISTINCT FROM
      (coalesce(l.calls, 0), coalesce(l.tokens, 0), coalesce(l.cost, 0),
       coalesce(l.held_tokens, 0), coalesce(l.held_cost, 0))
ORDER BY scope, scope_id, period
""")  # noqa: S608 - our own text, not a value

_MAKE: Final = text(f"""
INSERT INTO budget_counters (scope, scope_id, period, period_start, calls, tokens, cost,
                             reserved_tokens, reserved_cost)
{_FROM_LEDGER} ORDER BY 1, 2, 3, 4
""")
_FORGET: Final = text("""
DELETE FROM budget_counters
WHERE (period = 'day' AND period_start = :day) OR (period = 'month' AND period_start = :month)
""")

# Each call moves four counters, so that those of the deployment stand for all.
_SEEM_RIGHT: Final = text("""
SELECT (SELECT count(*) FROM llm_calls WHERE started_at >= :day AND started_at < :day_end)
       = coalesce((SELECT calls FROM budget_counters WHERE scope = 'deployment' AND scope_id = ''
                   AND period = 'day' AND period_start = :day), 0)
   AND (SELECT count(*) FROM llm_calls WHERE started_at >= :month AND started_at < :month_end)
       = coalesce((SELECT calls FROM budget_counters WHERE scope = 'deployment' AND scope_id = ''
                   AND period = 'month' AND period_start = :month), 0)
""")


@dataclass(frozen=True, slots=True)
class CounterDifference:
    """A counter that is not what its ledger rows add up to; `kept` None where there is none."""

    scope: Literal["deployment", "user"]
    scope_id: str
    period: Literal["day", "month"]
    period_start: datetime
    kept: Spent | None
    ledger: Spent


async def counter_differences(
    database: Database, zone: ZoneInfo, now: datetime
) -> tuple[CounterDifference, ...]:
    """The counters of the present day and month that differ from the ledger."""
    async with database.read() as tx:
        return await _differences(tx, zone, now)


async def ensure_counters(database: Database, zone: ZoneInfo, now: datetime) -> None:
    """Make the counters of the present day and month anew where they do not count every call.

    So it is after an upgrade, and where the zone was changed. Safe to be called by several
    processes, and while calls are made.
    """
    async with database.read() as tx:
        seem_right = (await tx.execute(_SEEM_RIGHT, _bounds(zone, now))).scalar_one()
    if not seem_right:
        await rebuild_counters(database, zone, now)


async def rebuild_counters(
    database: Database, zone: ZoneInfo, now: datetime
) -> tuple[CounterDifference, ...]:
    """Make the counters of the present day and month anew; what differed before.

    Calls that are to be opened or settled meanwhile wait.
    """
    async with database.transaction() as tx:
        await lock_counters(_Driver(tx))
        differences = await _differences(tx, zone, now)
        if differences:
            await tx.execute(_FORGET, _bounds(zone, now))
            await tx.execute(_MAKE, _bounds(zone, now))
    return differences


class _Driver:
    """Statements of the journal's writers, within a transaction of the other kind."""

    def __init__(self, tx: Tx) -> None:
        self._tx = tx

    async def execute(self, query: str, *args: Any) -> None:
        await self._tx.exec_driver_sql(query, args)


async def _differences(
    tx: Read | Tx, zone: ZoneInfo, now: datetime
) -> tuple[CounterDifference, ...]:
    found: Sequence[RowMapping] = (
        (await tx.execute(_DIFFERENCES, _bounds(zone, now))).mappings().all()
    )
    return tuple(
        CounterDifference(
            scope=row["scope"],
            scope_id=row["scope_id"],
            period=row["period"],
            period_start=row["period_start"],
            kept=None if row["kept_calls"] is None else _spent(row, "kept_"),
            ledger=_spent(row),
        )
        for row in found
    )


def _bounds(zone: ZoneInfo, now: datetime) -> dict[str, Any]:
    day, month = period_starts(now, zone)
    day_end, month_end = period_ends(now, zone)
    return {
        "zone": zone.key, "day": day, "day_end": day_end, "month": month, "month_end": month_end
    }  # fmt: skip


def _spent(row: RowMapping, prefix: str = "") -> Spent:
    return Spent(
        calls=row[f"{prefix}calls"],
        tokens=row[f"{prefix}tokens"],
        cost=row[f"{prefix}cost"],
        held_tokens=row[f"{prefix}held_tokens"],
        held_cost=row[f"{prefix}held_cost"],
    )
