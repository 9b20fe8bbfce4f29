"""Why a call or a turn was not let through: which limit, and where it stood."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Final

from callsheet.kit.errors import QuotaSpent
from callsheet.kit.money import plain
from callsheet.ledger.budget.limits import Measure, Scope

BUDGET_SPENT: Final = "budget_spent"

_WHOSE: Final[Mapping[Scope, str]] = {
    "run": "this run",
    "session": "this session",
    "user_day": "your day",
    "user_month": "your month",
    "deployment_day": "the whole server's day",
}
_OF_ALL: Final = frozenset({"deployment_day"})


@dataclass(frozen=True, slots=True)
class Refusal:
    """`limit` of `measure` in `scope` would be passed: `spent` + `held` + `asked` is more.

    `held` is the estimate of calls under way. `resets_at` is when the day or month ends, None
    for runs and sessions, whose budgets are not renewed.
    """

    scope: Scope
    measure: Measure
    limit: Decimal
    spent: Decimal
    held: Decimal
    asked: Decimal
    currency: str
    resets_at: datetime | None = None

    def __str__(self) -> str:
        when = f" It is renewed at {_text(self.resets_at)}." if self.resets_at else ""
        if self.scope in _OF_ALL:
            return f"The budget of {_WHOSE[self.scope]} is spent.{when}"
        unit = self.currency if self.measure == "cost" else self.measure
        if self.limit == 1 and self.measure != "cost":
            unit = unit.removesuffix("s")
        told = [f"{plain(self.spent)} spent"]
        if self.held:
            told.append(f"{plain(self.held)} held by calls under way")
        if self.asked:
            told.append(f"{plain(self.asked)} needed at most for the next call")
        return (
            f"The budget of {_WHOSE[self.scope]} is spent ({plain(self.limit)} {unit}): "
            f"{', '.join(told)}.{when}"
        )

    def detail(self) -> dict[str, Any]:
        """The refusal as JSON: amounts as decimal strings."""
        return {
            "scope": self.scope,
            "measure": self.measure,
            "limit": plain(self.limit),
            "spent": plain(self.spent),
            "held": plain(self.held),
            "asked": plain(self.asked),
            "currency": self.currency,
            "resetsAt": _text(self.resets_at) if self.resets_at else None,
        }

    @classmethod
    def of(cls, detail: Mapping[str, Any]) -> Refusal:
        """The refusal that `detail` was made of."""
        resets_at = detail["resetsAt"]
        return cls(
            scope=detail["scope"],
            measure=detail["measure"],
            limit=Decimal(detail["limit"]),
            spent=Decimal(detail["spent"]),
            held=Decimal(detail["held"]),
            asked=Decimal(detail["asked"]),
            currency=detail["currency"],
            resets_at=datetime.fromisoformat(resets_at) if resets_at else None,
        )

    def error(self) -> QuotaSpent:
        """What the caller is told; what all users spend together is not a user's to know."""
        told = ("scope", "measure", "resetsAt") if self.scope in _OF_ALL else tuple(self.detail())
        extra = {name: value for name, value in self.detail().items() if name in told}
        return QuotaSpent(str(self), code=BUDGET_SPENT, **extra)


def _text(moment: datetime) -> str:
    """As every other moment is written in JSON."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")
