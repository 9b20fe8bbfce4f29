"""All prices, in memory."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from callsheet.kit.errors import Unpriced
from callsheet.kit.log import get_log
from callsheet.ledger.price.fx_rate import FxRate, rate_at
from callsheet.ledger.price.price import ANY_TIME, Price
from callsheet.ledger.price.quote import Quote
from callsheet.ledger.price.window import PriceWindow, open_windows

_BEGINNING: Final = datetime.min.replace(tzinfo=UTC)
_END: Final = datetime.max.replace(tzinfo=UTC)
_MINUTE: Final = timedelta(minutes=1)

_log = get_log(__name__)


@dataclass(frozen=True, slots=True)
class _Kept:
    """A quote, or why there is none, and the moments between which it is the same."""

    since: datetime
    until: datetime
    quote: Quote | None
    why: str = ""


class PriceBook:
    """Finds what a model costs at a moment. `replace` swaps all prices at once.

    `currency` is the accounting one. `allow_unpriced`: a model without a price gets a quote
    without rows, that costs nothing, instead of Unpriced.
    """

    def __init__(
        self, prices: Iterable[Price] = (), *, currency: str = "USD", allow_unpriced: bool = False
    ) -> None:
        self._currency = currency
        self._allow_unpriced = allow_unpriced
        self._prices: dict[tuple[str, str], list[Price]] = {}
        self._windows: dict[str, list[PriceWindow]] = {}
        self._rates: tuple[FxRate, ...] = ()
        self._kept: dict[tuple[str, str], _Kept] = {}
        self._told: set[tuple[str, str]] = set()
        self.replace(prices)

    def replace(
        self,
        prices: Iterable[Price],
        windows: Iterable[PriceWindow] = (),
        rates: Iterable[FxRate] = (),
    ) -> None:
        """Take these prices, windows and rates instead of the ones before."""
        by_model: defaultdict[tuple[str, str], list[Price]] = defaultdict(list)
        for price in sorted(prices, key=_order):
            by_model[price.factory, price.model_code].append(price)
        by_code: defaultdict[str, list[PriceWindow]] = defaultdict(list)
        for window in windows:
            by_code[window.code].append(window)
        self._prices, self._windows, self._rates = dict(by_model), dict(by_code), tuple(rates)
        self._kept = {}

    def quote(self, factory: str, model_code: str, at: datetime) -> Quote:
        """What the model costs for a request that starts at `at`.

        Raises:
            Unpriced: it has no price, no price for some sizes of input, or none whose currency
                has a rate; the message names the command that mends it.
        """
        kept = self._kept.get((factory, model_code))
        if kept is None or not kept.since <= at < kept.until:
            kept = self._looked_up(factory, model_code, at)
            self._kept[factory, model_code] = kept
        if kept.quote is not None:
            return kept.quote
        if self._allow_unpriced:
            return self._free(factory, model_code, kept.why)
        raise Unpriced(kept.why, model=model_code, factory=factory)

    def has_price(self, factory: str, model_code: str, at: datetime) -> bool:
        """Whether a request that starts at `at` would be let out."""
        try:
            self.quote(factory, model_code, at)
        except Unpriced:
            return False
        return True

    def _free(self, factory: str, model_code: str, why: str) -> Quote:
        if (factory, model_code) not in self._told:
            self._told.add((factory, model_code))
            _log.warning("model_unpriced", factory=factory, model=model_code, detail=why)
        return Quote((), self._currency, self._currency)

    def _looked_up(self, factory: str, model_code: str, at: datetime) -> _Kept:
        rows = self._prices.get((factory, model_code), ())
        since, until = self._unchanged(rows, at)
        codes = {row.window_code for row in rows} - {ANY_TIME}
        spans = [span for code in codes for span in self._windows.get(code, ())]
        if spans:  # they open and close on whole minutes, daylight saving included
            minute = at.replace(second=0, microsecond=0)
            since, until = max(since, minute), min(until, minute + _MINUTE)
        now_open = {ANY_TIME, *open_windows(spans, at)}
        held = tuple(row for row in rows if row.window_code in now_open and row.holds_at(at))
        quote, why = self._judged(factory, model_code, held, at)
        return _Kept(since, until, quote, why)

    def _unchanged(self, rows: Iterable[Price], at: datetime) -> tuple[datetime, datetime]:
        """From when until when no row and no rate begins or ends."""
        moments = [moment for row in rows for moment in (row.valid_from, row.valid_to) if moment]
        moments += [rate.valid_from for rate in self._rates]
        since = max((moment for moment in moments if moment <= at), default=_BEGINNING)
        return since, min((moment for moment in moments if moment > at), default=_END)

    def _judged(
        self, factory: str, model_code: str, held: tuple[Price, ...], at: datetime
    ) -> tuple[Quote | None, str]:
        name = f"Model {model_code!r} of {factory!r}"
        mend = f"callsheet prices set {factory}/{model_code} --input ... --cached ... --output ..."
        if not held:
            return None, (
                f"{name} has no price that is valid now. Set one (0 where it is free): {mend}, or "
                "add it to config/llm_prices.yaml and start again."
            )
        if len({row.unit for row in held}) > 1 or len({row.currency for row in held}) > 1:
            return None, f"{name} has prices of several units or currencies now. Set one: {mend}"
        if not _covers_every_size(held):
            return (
                None,
                f"{name} has no price for some sizes of input. Set all tiers: {mend} --tier ...",
            )
        base = held[0].currency
        if base == self._currency:
            return Quote(held, base, base), ""
        rate = rate_at(self._rates, base, self._currency, at)
        if rate is None:
            return None, (
                f"{name} is priced in {base}, and no rate to {self._currency}, the accounting "
                f"currency, is in force. Set one: callsheet prices fx set {base} {self._currency} "
                "<rate>"
            )
        return Quote(held, base, self._currency, rate.rate), ""


def _order(price: Price) -> tuple[bool, str, int]:
    """Rows of windows first, the tiers of each from the smallest on."""
    return price.window_code == ANY_TIME, price.window_code, price.tier_min_input


def _covers_every_size(held: tuple[Price, ...]) -> bool:
    covered = 0
    for row in sorted(held, key=lambda row: row.tier_min_input):
        if row.tier_min_input > covered:
            return False
        if row.tier_max_input is None:
            return True
        covered = max(covered, row.tier_max_input)
    return False
