"""A bill against the ledger: by call where the bill knows calls, else by day and model.

Pure: looks at records, answers with differences.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from uuid import UUID

from callsheet.kit.money import to_ledger
from callsheet.ledger.reconcile.bill import NOT_SAID, BillLine, Tokens

_ZERO = Decimal(0)

Rate = Callable[[str, date], Decimal]
"""How many units of the accounting currency one of that currency is worth on that day."""


@dataclass(frozen=True, slots=True)
class Booked:
    """What the ledger has of a call, or of a day and model, in the accounting currency.

    `cost` includes what earlier bills corrected. `calls` of a day without any is 0; `call_id` and
    `request_id` are those of a single call.
    """

    day: date
    model: str | None
    cost: Decimal
    tokens: Tokens = NOT_SAID
    calls: int = 0
    uncertain: int = 0
    call_id: UUID | None = None
    request_id: str | None = None


@dataclass(frozen=True, slots=True)
class Difference:
    """Bill and ledger beside each other. `billed` None: the bill has nothing of it.

    `billed` and `booked` are in the accounting currency, `billed_native` in the bill's
    (`native_currency` None: in several).
    """

    day: date
    model: str | None
    billed: Decimal | None
    billed_native: Decimal
    native_currency: str | None
    billed_tokens: Tokens
    booked: Booked

    @property
    def amount(self) -> Decimal:
        """What the bill has more than the ledger."""
        return (self.billed or _ZERO) - self.booked.cost

    @property
    def percent(self) -> Decimal | None:
        """The difference to what is booked; None where nothing is."""
        if not self.booked.cost:
            return None
        return round(100 * self.amount / self.booked.cost, 2)


def compare_calls(
    lines: Iterable[BillLine], calls: Sequence[Booked], rate: Rate
) -> tuple[list[Difference], list[BillLine], list[Booked]]:
    """Differences of the calls that both know by request id, and what is left on each side."""
    by_id: dict[str, Booked] = {}
    for each in calls:
        if each.request_id is not None:
            by_id.setdefault(each.request_id, each)
    matched: defaultdict[str, list[BillLine]] = defaultdict(list)
    lines_left: list[BillLine] = []
    for line in lines:
        if line.request_id is not None and line.request_id in by_id:
            matched[line.request_id].append(line)
        else:
            lines_left.append(line)
    found = [_difference(by_id[id_], parts, rate) for id_, parts in matched.items()]
    taken = {id(by_id[id_]) for id_ in matched}
    calls_left = [each for each in calls if id(each) not in taken]
    return sorted(found, key=_place), lines_left, calls_left


def compare_days(
    lines: Iterable[BillLine], booked: Iterable[Booked], rate: Rate
) -> list[Difference]:
    """One row for each day and model that the bill or the ledger has, equal or not."""
    billed: defaultdict[tuple[date, str | None], list[BillLine]] = defaultdict(list)
    for line in lines:
        billed[line.day, line.model].append(line)
    ledger: dict[tuple[date, str | None], Booked] = {}
    for each in booked:
        key = (each.day, each.model)
        ledger[key] = _added(ledger[key], each) if key in ledger else each
    keys = sorted({*billed, *ledger}, key=lambda key: (key[0], key[1] or ""))
    return [
        _difference(ledger.get(key, Booked(*key, _ZERO)), billed.get(key, []), rate) for key in keys
    ]


def without_models(booked: Iterable[Booked]) -> list[Booked]:
    """The same for a bill that names no models."""
    return [
        Booked(each.day, None, each.cost, each.tokens, each.calls, each.uncertain)
        for each in booked
    ]


def _difference(booked: Booked, lines: Sequence[BillLine], rate: Rate) -> Difference:
    tokens, native = NOT_SAID, _ZERO
    amounts: list[Decimal] = []
    for line in lines:
        tokens = tokens.plus(line.tokens)
        native += line.amount
        amounts.append(line.amount * rate(line.currency, line.day))
    currencies = {line.currency for line in lines}
    return Difference(
        day=booked.day,
        model=booked.model,
        billed=to_ledger(sum(amounts, _ZERO)) if lines else None,
        billed_native=native,
        native_currency=next(iter(currencies)) if len(currencies) == 1 else None,
        billed_tokens=tokens,
        booked=booked,
    )


def _added(one: Booked, other: Booked) -> Booked:
    return Booked(
        one.day,
        one.model,
        one.cost + other.cost,
        one.tokens.plus(other.tokens),
        one.calls + other.calls,
        one.uncertain + other.uncertain,
    )


def _place(difference: Difference) -> tuple[date, str, str]:
    return difference.day, difference.model or "", difference.booked.request_id or ""
