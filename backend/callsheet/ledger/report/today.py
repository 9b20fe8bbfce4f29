"""What a user has spent today and this month, and what is left of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Literal
from uuid import UUID
from zoneinfo import ZoneInfo

from callsheet.db.transaction import Read
from callsheet.ledger.budget.limits import MEASURES, Limits, Measure
from callsheet.ledger.budget.period import period_ends, period_starts
from callsheet.ledger.budget.spent import spent_of_user
from callsheet.ledger.budget.standing import Spent


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
    spent = await spent_of_user(tx, user_id, now, zone)
    today = Span(day, day_end, spent["user_day"])
    this_month = Span(month, month_end, spent["user_month"])
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
