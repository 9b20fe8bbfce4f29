"""A bill held against the ledger of its days, and what is to be corrected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Final
from zoneinfo import ZoneInfo

from callsheet.db.transaction import Read
from callsheet.kit.errors import BadInput, SetupError
from callsheet.kit.money import plain
from callsheet.ledger.budget.period import midnight
from callsheet.ledger.price.fx_rate import FxRate, rate_at
from callsheet.ledger.reconcile.bill import Bill
from callsheet.ledger.reconcile.compare import (
    Difference,
    Rate,
    compare_calls,
    compare_days,
    without_models,
)
from callsheet.ledger.reconcile.layout import BillLayout
from callsheet.ledger.reconcile.store import (
    Adjustment,
    booked_calls,
    booked_days,
    knows_factory,
    rates_to,
)
from callsheet.ledger.report.period import Period

_DAY: Final = timedelta(days=1)
_DIGEST: Final = 16


@dataclass(frozen=True, slots=True)
class Statement:
    """`calls` were compared by request id, `days` by day and model; equal ones are there too."""

    factory: str
    period: Period
    currency: str
    calls: tuple[Difference, ...]
    days: tuple[Difference, ...]

    def over(self, least: Decimal) -> tuple[Difference, ...]:
        """Those that differ by `least` or more, in money."""
        every = (*self.calls, *self.days)
        return tuple(each for each in every if each.amount and abs(each.amount) >= least)


async def hold_against(
    tx: Read, bill: Bill, layout: BillLayout, factory: str, currency: str
) -> Statement:
    """Every call, day and model of the bill, and of the ledger in the bill's days.

    `currency` is the accounting one. A line in another is worth what the rate says that is in
    force when its day ends.

    Raises:
        BadInput: nothing is known of the factory.
        SetupError: there is no such rate.
    """
    if not await knows_factory(tx, factory):
        raise BadInput(f"There is no factory {factory!r} here.", field="factory")
    period = Period(bill.first, bill.last, layout.time_zone)
    rate = _rates(await rates_to(tx, currency), currency, layout.time_zone)
    by_call: list[Difference] = []
    lines = list(bill.lines)
    if layout.columns.request_id is None:
        booked = await booked_days(tx, factory, period, currency)
    else:
        # A call near midnight may stand on the bill's next day.
        wider = Period(period.first - _DAY, period.last + _DAY, period.zone)
        calls = await booked_calls(tx, factory, wider, currency)
        by_call, lines, left = compare_calls(bill.lines, calls, rate)
        booked = [each for each in left if period.first <= each.day <= period.last]
    if layout.columns.model is None:
        booked = without_models(booked)
    days = compare_days(lines, booked, rate)
    return Statement(factory, period, currency, tuple(by_call), tuple(days))


def adjustments_of(
    statement: Statement, bill: Bill, differences: Sequence[Difference], *, by: str
) -> list[Adjustment]:
    """What would make the ledger say what the bill says."""
    return [
        Adjustment(
            call_id=each.booked.call_id,
            day=each.day,
            factory=statement.factory,
            model_code=each.model,
            amount=each.amount,
            currency=statement.currency,
            reason=_reason(each, bill.name, statement.currency),
            reference=":".join(
                (
                    statement.factory,
                    bill.digest[:_DIGEST],
                    each.day.isoformat(),
                    str(each.booked.call_id or each.model or "*"),
                )
            ),
            created_by=by,
        )
        for each in differences
    ]


def is_over(day: date, zone: ZoneInfo, now: datetime) -> bool:
    """Whether the day has ended there: before that neither side is complete."""
    return day < now.astimezone(zone).date()


def _reason(each: Difference, name: str, currency: str) -> str:
    booked = f"{plain(each.booked.cost)} {currency} booked"
    if each.billed is None:
        return f"{booked}, not on the bill {name}"
    return f"{plain(each.billed)} {currency} on the bill {name}, {booked}"


def _rates(rates: Sequence[FxRate], accounting: str, zone: ZoneInfo) -> Rate:
    known: dict[tuple[str, date], Decimal] = {}

    def rate(currency: str, day: date) -> Decimal:
        if currency == accounting:
            return Decimal(1)
        if (currency, day) not in known:
            found = rate_at(rates, currency, accounting, midnight(day + _DAY, zone))
            if found is None:
                raise SetupError(
                    f"The bill is in {currency}, and there is no rate to {accounting} for {day}. "
                    f"Set one: callsheet prices fx set {currency} {accounting} <rate>"
                )
            known[currency, day] = found.rate
        return known[currency, day]

    return rate
