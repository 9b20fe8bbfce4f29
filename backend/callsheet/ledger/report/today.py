"""What a user has spent today and this month, and what is left of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Final, Literal
from uuid import UUID
from zoneinfo import ZoneInfo

from sqlalchemy import text

from callsheet.db.transaction import Read
from callsheet.ledger.budget.limits import MEASURES, Limits, Measure
from callsheet.ledger.budget.period import period_ends, period_starts
from callsheet.ledger.budget.standing import NOTHING, Spent

_COUNTERS: Final = text("""
SELECT period, calls, tokens, cost, reserved_tokens, reserved_cost
FROM budget_counters
WHERE scope = 'user' AND scope_id = :user_id
  AND (period, period_start) IN (('day', :day), ('month', :month))
""")


@dataclass(frozen=True, slots=True)
class Span:
    """A day or month from `start` until just before `end`, and what was spent in it."""

    start: datetime
    end: datetime
    spent: Spent


@dataclass(frozen=True, slots=True)
class Left:
    """A limit that is set. `left` is what is neither spent nor held, never below zero."""

    scope: Literal["user_day", "user_month"]
    measure: Measure
    limit: Decimal
    used: Decimal
    held: Decimal
    resets_at: datetime

    @property
    def left(self) -> Decimal:
        """What may still be asked for."""
        return max(self.limit - self.used - self.held, Decimal(0))


@dataclass(frozen=True, slots=True)
class Today:
    """A user's present day and month in `zone`, and the limits that are set for them."""

    zone: ZoneInfo
    currency: str
    day: Span
    month: Span
    limits: tuple[Left, ...]


async def read_today(
    tx: Read, user_id: UUID, limits: Limits, zone: ZoneInfo, currency: str, now: datetime
) -> Today:
    """What the counters say; a user without calls has spent nothing."""
    day, month = period_starts(now, zone)
    day_end, month_end = period_ends(now, zone)
    values = {"user_id": str(user_id), "day": day, "month": month}
    spent = {
        row.period: Spent(row.calls, row.tokens, row.cost, row.reserved_tokens, row.reserved_cost)
        for row in await tx.execute(_COUNTERS, values)
    }
    today = Span(day, day_end, spent.get("day", NOTHING))
    this_month = Span(month, month_end, spent.get("month", NOTHING))
    left = (*_left("user_day", limits, today), *_left("user_month", limits, this_month))
    return Today(zone, currency, today, this_month, left)


def _left(scope: Literal["user_day", "user_month"], limits: Limits, span: Span) -> tuple[Left, ...]:
    bounds = limits.of(scope)
    return tuple(
        Left(
            scope,
            measure,
            bounds[measure],
            span.spent.of(measure),
            span.spent.held(measure),
            span.end,
        )
        for measure in MEASURES
        if measure in bounds
    )
