"""All that a model costs at one moment."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from uuid import UUID

from callsheet.events.usage import MeteredUsage, Usage
from callsheet.kit.money import to_ledger
from callsheet.ledger.cost import cost_of
from callsheet.ledger.price import Price


@dataclass(frozen=True, slots=True)
class Cost:
    """What a call costs: by which price row, in its currency, and in the accounting currency.

    Both amounts are rounded half-up to the 12 places of the ledger, `exact` from the unrounded
    native amount. `price_id` is None where the model has no price.
    """

    price_id: UUID | None
    native: Decimal
    exact: Decimal


@dataclass(frozen=True, slots=True)
class Quote:
    """The prices that hold for a request that starts now, one for each tier of input size.

    `fx_rate` units of `currency`, the accounting one, are one unit of `price_currency`.
    """

    prices: tuple[Price, ...]
    price_currency: str
    currency: str
    fx_rate: Decimal = Decimal(1)

    def cost(self, metered: MeteredUsage) -> Cost:
        """What the usage costs, at the tier that its input falls into."""
        price = self.prices[0]
        native = cost_of(metered.usage, price)
        return Cost(price.id, to_ledger(native), to_ledger(native * self.fx_rate))

    def reserve(self, usage: Usage) -> Cost:
        """What a call of that size would cost at most."""
        return self.cost(MeteredUsage(usage=usage, source="estimated", method="most"))
