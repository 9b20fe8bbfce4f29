"""The SQL of prices, as far as quoting reads it."""

from __future__ import annotations

from dataclasses import dataclass
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from sqlalchemy import text

from callsheet.db.transaction import Read
from callsheet.kit.errors import SetupError
from callsheet.ledger.price.book import PriceBook
from callsheet.ledger.price.fx_rate import FxRate
from callsheet.ledger.price.price import Price
from callsheet.ledger.price.window import PriceWindow

_PRICES = text("""
SELECT id, factory, model_code, currency,
       nullif(lower(effective), '-infinity') AS valid_from,
       nullif(upper(effective), 'infinity') AS valid_to, input_per_million, cached_per_million,
       cache_write_per_million, output_per_million, reasoning_per_million,
       explicit_cached_per_million, unit, per_unit, tier_min_input, tier_max_input, window_code,
       source, verified
FROM llm_prices
""")
_WINDOWS = text("SELECT code, timezone, weekdays, from_time, to_time FROM price_windows")
_RATES = text("SELECT base, quote, rate, valid_from, source FROM fx_rates")
# Every column of every row, so that a change by whatever means is one.
_VERSION = text("""
SELECT (SELECT concat(count(*), ':', sum(hashtextextended(p::text, 0))) FROM llm_prices p),
       (SELECT concat(count(*), ':', sum(hashtextextended(w::text, 0))) FROM price_windows w),
       (SELECT concat(count(*), ':', sum(hashtextextended(r::text, 0))) FROM fx_rates r)
""")


@dataclass(frozen=True, slots=True)
class PriceTable:
    """Everything that quotes are made of, as it was in one snapshot."""

    version: str
    prices: tuple[Price, ...]
    windows: tuple[PriceWindow, ...]
    rates: tuple[FxRate, ...]

    def book(self, currency: str) -> PriceBook:
        """A book of them, in that accounting currency, that refuses what has no price."""
        book = PriceBook(currency=currency)
        book.replace(self.prices, self.windows, self.rates)
        return book


async def load_prices(tx: Read) -> list[Price]:
    """Every price row; one that is open at an end has None there."""
    return [Price(**row._asdict()) for row in (await tx.execute(_PRICES)).all()]


async def prices_version(tx: Read) -> str:
    """A word that is another one after any change of prices, windows or rates; cheap to ask."""
    return "/".join((await tx.execute(_VERSION)).one())


async def load_price_table(tx: Read) -> PriceTable:
    """Prices, windows and rates, with their version.

    Raises:
        SetupError: a window is in a time zone that this machine does not know.
    """
    windows = (await tx.execute(_WINDOWS)).all()
    rates = (await tx.execute(_RATES)).all()
    return PriceTable(
        version=await prices_version(tx),
        prices=tuple(await load_prices(tx)),
        windows=tuple(
            PriceWindow(
                row.code,
                _zone(row.timezone),
                frozenset(row.weekdays),
                row.from_time,
                row.to_time,
            )
            for row in windows
        ),
        rates=tuple(FxRate(**row._asdict()) for row in rates),
    )


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError) as error:
        raise SetupError(f"price_windows has the unknown time zone {name!r}.") from error
