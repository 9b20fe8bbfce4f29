"""What is spent and held in each place where a call counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Final, NamedTuple, TypeAlias

from callsheet.ledger.budget.limits import Measure, Scope


class Place(NamedTuple):
    """A run, a session, or a day or month of a user or of the deployment.

    `id` is '' for the deployment; `start` is when the day or month began.
    """

    scope: Scope
    id: str
    start: datetime | None = None


@dataclass(frozen=True, slots=True)
class Claim:
    """A call that wants to be made: what it would cost at most, and where it would count."""

    call_id: str
    tokens: int
    cost: Decimal
    currency: str
    places: Mapping[Scope, Place]

    def of(self, measure: Measure) -> Decimal:
        """What it asks for."""
        if measure == "cost":
            return self.cost
        return Decimal(self.tokens if measure == "tokens" else 1)


@dataclass(frozen=True, slots=True)
class Spent:
    """A call is in `calls` from its opening on, in `tokens` and `cost` once it is settled.

    Until then its estimate is in `held_tokens` and `held_cost`.
    """

    calls: int = 0
    tokens: int = 0
    cost: Decimal = Decimal(0)
    held_tokens: int = 0
    held_cost: Decimal = Decimal(0)

    def of(self, measure: Measure) -> Decimal:
        """What is spent for certain."""
        if measure == "cost":
            return self.cost
        return Decimal(self.tokens if measure == "tokens" else self.calls)

    def held(self, measure: Measure) -> Decimal:
        """What calls under way may still cost."""
        if measure == "cost":
            return self.held_cost
        return Decimal(self.held_tokens if measure == "tokens" else 0)

    def holding(self, claim: Claim) -> Spent:
        """With one more call under way."""
        return replace(
            self,
            calls=self.calls + 1,
            held_tokens=self.held_tokens + claim.tokens,
            held_cost=self.held_cost + claim.cost,
        )


Standing: TypeAlias = Mapping[Place, Spent]
"""By place; nothing is spent or held where there is no entry."""

NOTHING: Final = Spent()
