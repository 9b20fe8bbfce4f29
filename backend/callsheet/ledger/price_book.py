"""All prices, in memory."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime

from callsheet.kit.errors import Unpriced
from callsheet.ledger.price import Price
from callsheet.ledger.quote import Quote


class PriceBook:
    """Finds the price of a model at a moment. `replace` swaps all prices at once."""

    def __init__(self, prices: Iterable[Price] = ()) -> None:
        self._prices: dict[tuple[str, str], list[Price]] = {}
        self.replace(prices)

    def replace(self, prices: Iterable[Price]) -> None:
        """Take these prices instead of the ones before."""
        by_model: defaultdict[tuple[str, str], list[Price]] = defaultdict(list)
        for price in prices:
            by_model[price.factory, price.model_code].append(price)
        self._prices = dict(by_model)

    def quote(self, factory: str, model_code: str, at: datetime) -> Quote:
        """What the model costs at `at`.

        Raises:
            Unpriced: there is none; a free model has an explicit price of zero.
        """
        for price in self._prices.get((factory, model_code), ()):
            if price.holds_at(at):
                return Quote((price,), price.currency, price.currency)
        raise Unpriced(
            f"Model {model_code!r} of {factory!r} has no price that is valid now. "
            "Add one to config/llm_prices.yaml (0 where it is free) and start again.",
            model=model_code,
            factory=factory,
        )
