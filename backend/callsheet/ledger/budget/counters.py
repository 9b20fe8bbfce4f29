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

# A counter of another zone whose period began within the present one: its calls are in this one.
_FOREIGN: Final = """
  period_start > CASE period WHEN 'day' THEN CAST(:day AS timestamptz)
                             ELSE CAST(:month AS timestamptz) END
  AND date_trunc(period, period_start, :zone) <> period_start
"""
_PRESENT: Final = f"""
  (period = 'day' AND period_start = :day) OR (period = 'month' AND period_start = :month)
  OR ({_FOREIGN})
"""

_DIFFERENCES: Final = text(f"""
WITH l AS ({_FROM_LEDGER}), b AS (
  SELECT scope, scope_id, period, period_start, calls, tokens, cost,
         reserved_tokens AS held_tokens, reserved_cost AS held_cost
  FROM budget_counters
  WHERE {_PRESENT}
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
_FORGET: Final = text(f"DELETE FROM budget_counters WHERE {_PRESENT}")  # noqa: S608

# In another zone the period before the present one may have reached into it.
_CUT: Final = text("""
WITH p AS (
  SELECT b.scope, b.scope_id, b.period, b.period_start,
         lead(b.period_start, 1, s.start) OVER (
           PARTITION BY b.scope, b.scope_id, b.period ORDER BY b.period_start) AS next_start
  FROM budget_counters b
  CROSS JOIN LATERAL (SELECT CASE b.period WHEN 'day' THEN CAST(:day AS timestamptz)
                                           ELSE CAST(:month AS timestamptz) END AS start) s
  WHERE b.period_start < s.start
    AND b.period_start > s.start - CASE b.period WHEN 'day' THEN interval '25 hours'
                                                 ELSE interval '745 hours' END
), l AS (
  SELECT p.scope, p.scope_id, p.period, p.period_start, count(c.id) AS calls,
         coalesce(sum(c.input_tokens + c.output_tokens), 0)::bigint AS tokens,
         coalesce(sum(c.cost_exact), 0) AS cost,
         coalesce(sum(c.reserved_tokens), 0)::bigint AS held_tokens,
         coalesce(sum(c.reserved_cost), 0) AS held_cost
  FROM p LEFT JOIN (
    SELECT k.scope, k.scope_id, d.*
    FROM llm_calls d CROSS JOIN LATERAL
         (VALUES ('deployment', ''), ('user', d.user_id::text)) AS k(scope, scope_id)
    WHERE d.started_at > CAST(:month AS timestamptz) - interval '745 hours'
      AND d.started_at < :day
  ) c ON (c.scope, c.scope_id) = (p.scope, p.scope_id)
     AND c.started_at >= p.period_start AND c.started_at < p.next_start
  GROUP BY 1, 2, 3, 4
)
UPDATE budget_counters b
SET calls = l.calls, tokens = l.tokens, cost = l.cost, reserved_tokens = l.held_tokens,
    reserved_cost = l.held_cost, updated_at = now()
FROM l
WHERE (b.scope, b.scope_id, b.period, b.period_start)
      = (l.scope, l.scope_id, l.period, l.period_start)
  AND (b.calls, b.tokens, b.cost, b.reserved_tokens, b.reserved_cost)
      IS DISTINCT FROM (l.calls, l.tokens, l.cost, l.held_tokens, l.held_cost)
""")

# Each call moves four counters, so that those of the deployment stand for all.
_SEEM_RIGHT: Final = text(f"""
SELECT (SELECT count(*) FROM llm_calls WHERE started_at >= :day AND started_at < :day_end)
       = coalesce((SELECT calls FROM budget_counters WHERE scope = 'deployment' AND scope_id = ''
                   AND period = 'day' AND period_start = :day), 0)
   AND (SELECT count(*) FROM llm_calls WHERE started_at >= :month AND started_at < :month_end)
       = coalesce((SELECT calls FROM budget_counters WHERE scope = 'deployment' AND scope_id = ''
                   AND period = 'month' AND period_start = :month), 0)
   AND NOT EXISTS (SELECT FROM budget_counters
                   WHERE scope = 'deployment' AND scope_id = '' AND {_FOREIGN})
""")  # noqa: S608 - our own text, not a value


@dataclass(frozen=True, slots=True)
class CounterDifference:
    """A counter that is not what its ledger rows add up to; `kept` None where there is none."""

    scope: Literal["deployment", "user"]
    scope_id: str
    period: Literal["day", "month"]
    period_start: datetime
    kept: Spent | None
    ledger: Spent


async def ensure_counters(database: Database, zone: ZoneInfo, now: datetime) -> None:
    """Make the counters of the present day and month anew where they do not count every call.

    So it is after an upgrade, and where the zone was changed: counters of the other zone's
    present periods go, those before them end where ours begin. Safe to be called by several
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
            bounds = _bounds(zone, now)
            await tx.execute(_FORGET, bounds)
            await tx.execute(_CUT, bounds)
            await tx.execute(_MAKE, bounds)
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
