"""Why a call may not begin."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Final, Literal

from callsheet.kit.errors import QuotaSpent
from callsheet.kit.money import plain

Scope = Literal["run", "session", "user_day", "user_month", "deployment_day"]
Measure = Literal["cost", "tokens", "calls"]

BUDGET_SPENT: Final = "budget_spent"

_WHOSE: Final[dict[Scope, str]] = {
    "run": "this turn",
    "session": "this session",
    "user_day": "you today",
    "user_month": "you this month",
    "deployment_day": "everybody today",
}


@dataclass(frozen=True, slots=True)
class Refusal:
    """A limit that the call would pass.

    `used` is what was spent and is held, `asked` what the call would add at most; both in the
    measure of the limit. `resets_at` is None where no time brings the budget back.
    """

    scope: Scope
    measure: Measure
    limit: Decimal
    used: Decimal
    asked: Decimal
    currency: str
    resets_at: datetime | None = None

    def error(self) -> QuotaSpent:
        """The error that ends the turn, or keeps it from starting."""
        return QuotaSpent(
            f"The budget for {_WHOSE[self.scope]} is spent: {self._amount(self.used)} of "
            f"{self._amount(self.limit)} used, and this needs up to {self._amount(self.asked)}.",
            code=BUDGET_SPENT,
            **self.detail(),
        )

    def detail(self) -> dict[str, Any]:
        """The figures, as JSON."""
        resets = {} if self.resets_at is None else {"resetsAt": self.resets_at.isoformat()}
        return {
            "scope": self.scope,
            "measure": self.measure,
            "limit": plain(self.limit),
            "used": plain(self.used),
            "asked": plain(self.asked),
            **({"currency": self.currency} if self.measure == "cost" else {}),
            **resets,
        }

    def _amount(self, amount: Decimal) -> str:
        unit = self.currency if self.measure == "cost" else self.measure
        return f"{plain(amount)} {unit}"
