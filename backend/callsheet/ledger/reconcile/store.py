"""The SQL of reconciliation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Final
from uuid import UUID

from sqlalchemy import text

from callsheet.db.transaction import Read, Tx
from callsheet.ledger.price.fx_rate import FxRate
from callsheet.ledger.reconcile.bill import Tokens
from callsheet.ledger.reconcile.compare import Booked
from callsheet.ledger.report.period import Period

# Calls that are open cost nothing yet; they are uncertain like those that were estimated.
_UNCERTAIN: Final = "(c.status = 'open' OR c.usage_source = 'estimated' OR c.unpriced)"
_DAYS: Final = text(f"""
WITH parts AS (
  SELECT (c.started_at AT TIME ZONE :zone)::date AS day, c.model_code, c.cost_exact AS cost,
         c.input_tokens, c.cached_tokens, c.output_tokens, 1 AS calls,
         {_UNCERTAIN}::int AS uncertain
  FROM llm_calls c
  WHERE c.factory = :factory AND c.started_at >= :start AND c.started_at < :end
  UNION ALL
  SELECT coalesce((c.started_at AT TIME ZONE :zone)::date, a.day),
         coalesce(c.model_code, a.model_code), a.amount, 0, 0, 0, 0, 0
  FROM cost_adjustments a LEFT JOIN llm_calls c ON c.id = a.call_id
  WHERE a.factory = :factory AND a.currency = :currency
    AND coalesce((c.started_at AT TIME ZONE :zone)::date, a.day) BETWEEN :first AND :last
)
SELECT day, model_code, sum(cost) AS cost, sum(input_tokens) AS input,
       sum(cached_tokens) AS cached, sum(output_tokens) AS output, sum(calls) AS calls,
       sum(uncertain) AS uncertain
FROM parts
GROUP BY day, model_code
""")  # noqa: S608 - made of the constant above
_CALLS: Final = text(f"""
SELECT (c.started_at AT TIME ZONE :zone)::date AS day, c.model_code, c.cost_exact + coalesce((
         SELECT sum(a.amount) FROM cost_adjustments a WHERE a.call_id = c.id), 0) AS cost,
       c.input_tokens AS input, c.cached_tokens AS cached, c.output_tokens AS output,
       {_UNCERTAIN}::int AS uncertain, c.id, c.upstream_id
FROM llm_calls c
WHERE c.factory = :factory AND c.started_at >= :start AND c.started_at < :end
""")  # noqa: S608 - made of the constant above
_DAY_ADJUSTMENTS: Final = text("""
SELECT day, model_code, sum(amount) AS cost FROM cost_adjustments
WHERE factory = :factory AND currency = :currency AND call_id IS NULL
  AND day BETWEEN :first AND :last
GROUP BY day, model_code
""")
_RATES: Final = text("""
SELECT base, quote, rate, valid_from, source FROM fx_rates WHERE quote = :quote
""")
_KNOWN: Final = text("""
SELECT EXISTS (SELECT FROM llm_factory WHERE name = :factory)
    OR EXISTS (SELECT FROM llm_prices WHERE factory = :factory)
""")
_ADD: Final = text("""
INSERT INTO cost_adjustments (call_id, day, factory, model_code, amount, currency, reason,
                              reference, created_by)
VALUES (:call_id, :day, :factory, :model_code, :amount, :currency, :reason, :reference,
        :created_by)
ON CONFLICT (reference) DO NOTHING
RETURNING 1
""")


@dataclass(frozen=True, slots=True)
class Adjustment:
    """A row of `cost_adjustments` to be; `reference` is stored once, whoever brings it."""

    call_id: UUID | None
    day: date
    factory: str
    model_code: str | None
    amount: Decimal
    currency: str
    reason: str
    reference: str
    created_by: str


async def knows_factory(tx: Read, factory: str) -> bool:
    """Whether models of that factory can have been called: it is in the catalog, or has prices."""
    return bool((await tx.execute(_KNOWN, {"factory": factory})).scalar_one())


async def booked_days(tx: Read, factory: str, period: Period, currency: str) -> list[Booked]:
    """The factory's days and models in the ledger, earlier corrections in them."""
    found = await tx.execute(_DAYS, _values(factory, period, currency))
    return [
        Booked(
            row.day,
            row.model_code,
            row.cost,
            Tokens(row.input, row.cached, row.output),
            row.calls,
            row.uncertain,
        )
        for row in found
    ]


async def booked_calls(tx: Read, factory: str, period: Period, currency: str) -> list[Booked]:
    """The factory's calls one by one, and its corrections of whole days."""
    values = _values(factory, period, currency)
    calls = await tx.execute(_CALLS, values)
    booked = [
        Booked(
            row.day,
            row.model_code,
            row.cost,
            Tokens(row.input, row.cached, row.output),
            1,
            row.uncertain,
            row.id,
            row.upstream_id,
        )
        for row in calls
    ]
    days = await tx.execute(_DAY_ADJUSTMENTS, values)
    return [*booked, *(Booked(row.day, row.model_code, row.cost) for row in days)]


async def rates_to(tx: Read, currency: str) -> list[FxRate]:
    """Every rate into that currency."""
    found = await tx.execute(_RATES, {"quote": currency})
    return [FxRate(**row._asdict()) for row in found]


async def add_adjustments(tx: Tx, adjustments: Sequence[Adjustment]) -> int:
    """Store them; how many were not there already."""
    added = 0
    for each in adjustments:
        values = {name: getattr(each, name) for name in Adjustment.__slots__}
        added += (await tx.execute(_ADD, values)).first() is not None
    return added


def _values(factory: str, period: Period, currency: str) -> dict[str, object]:
    return {
        "factory": factory,
        "zone": period.zone.key,
        "start": period.start,
        "end": period.end,
        "first": period.first,
        "last": period.last,
        "currency": currency,
    }
