"""All that a model costs at one moment."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Final
from uuid import UUID

import msgspec

from callsheet.events.usage import MeteredUsage, Usage
from callsheet.kit.money import to_ledger
from callsheet.ledger.price.cost import EXACT, native_cost
from callsheet.ledger.price.price import REQUEST, TOKEN, Price

_NOTHING: Final = Decimal(0)
_ONE: Final = Decimal(1)
_MILLION: Final = Decimal("0.000001")
_COUNTED_IN_CHATS: Final = frozenset({TOKEN, REQUEST})
# A request that is estimated a little under a border may fall over it: by how much is what
# estimates of tokens are held to.
_ESTIMATE_PERCENT: Final = 115


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

    Rows of a window that is open stand before those of any time, and the first whose tier takes
    the request holds. No row at all: the model has no price and the deployment lets it be called.
    `fx_rate` units of `currency`, the accounting one, are one unit of `price_currency`.
    """

    prices: tuple[Price, ...]
    price_currency: str
    currency: str
    fx_rate: Decimal = Decimal(1)

    @property
    def unit(self) -> str:
        """What is counted: `token`, or what `MeteredUsage.units` has to be."""
        return self.prices[0].unit if self.prices else TOKEN

    @property
    def uncounted(self) -> str | None:
        """The unit that it charges and an answer of a chat has none of; None where all is well."""
        return None if self.unit in _COUNTED_IN_CHATS else self.unit

    def counted(self, metered: MeteredUsage) -> MeteredUsage:
        """The usage with its units: a call that was made is one, where requests are priced."""
        if self.unit != REQUEST or metered.units or metered.source == "none":
            return metered
        return msgspec.structs.replace(metered, units=_ONE)

    def cost(self, metered: MeteredUsage) -> Cost:
        """What the call costs; all of it at the tier that its whole input falls into."""
        price = self.price_for(metered.usage.input_tokens)
        if price is None:
            return Cost(None, _NOTHING, _NOTHING)
        return self._cost(price, native_cost(metered, price))

    def reserve(self, usage: Usage, units: Decimal = Decimal(0)) -> Cost:
        """The most that a call may cost: `usage` is its estimated input and its most output.

        Nothing counts as cached, all output as the dearer of answer and reasoning, and the
        dearest tier counts that the request may fall into. `price_id` is that of the estimate.
        """
        if self.unit == REQUEST:
            units = units or _ONE
        price = self.price_for(usage.input_tokens)
        if price is None:
            return Cost(None, _NOTHING, _NOTHING)
        within_reach = usage.input_tokens * _ESTIMATE_PERCENT
        most = max(
            _most(usage, units, each)
            for each in self.prices
            if each is price or each.tier_min_input * 100 < within_reach
        )
        return self._cost(price, most)

    def price_for(self, input_tokens: int) -> Price | None:
        """The row for a request of that size; None where there is no price."""
        for price in self.prices:
            if price.takes(input_tokens):
                return price
        return None

    def _cost(self, price: Price, native: Decimal) -> Cost:
        return Cost(price.id, to_ledger(native), to_ledger(EXACT.multiply(native, self.fx_rate)))


def _most(usage: Usage, units: Decimal, price: Price) -> Decimal:
    if price.unit != TOKEN:
        return native_cost(MeteredUsage(usage=usage, source="estimated", units=units), price)
    inputs = EXACT.multiply(Decimal(usage.input_tokens), price.dearest_input)
    outputs = EXACT.fma(Decimal(usage.output_tokens), price.dearest_output, inputs)
    return EXACT.multiply(outputs, _MILLION)
