"""Usage times price."""

from __future__ import annotations

from decimal import MAX_EMAX, MIN_EMIN, ROUND_HALF_UP, Context, Decimal
from typing import Final

from callsheet.events.usage import MeteredUsage, Usage
from callsheet.ledger.price.price import TOKEN, Price

# Tokens times price times rate has more digits than the 28 of Python's default, which would round
# a first time before the ledger does. 100 hold every product of what the columns can hold.
EXACT: Final = Context(prec=100, rounding=ROUND_HALF_UP, Emin=MIN_EMIN, Emax=MAX_EMAX)
_PER_TOKEN: Final = Decimal("0.000001")


def cost_of(usage: Usage, price: Price, *, explicit_cache: bool = False) -> Decimal:
    """What the tokens cost in the price's currency, unrounded.

    Each token is priced once, by its kind: cached and cache-write tokens are taken out of the
    input, reasoning tokens out of the output. `explicit_cache`: the cached tokens were in a cache
    that the caller had made, which some providers price apart.
    """
    cached_price, write_price = price.cached_per_million, price.cache_write_per_million
    if explicit_cache and price.explicit_cached_per_million is not None:
        cached_price = price.explicit_cached_per_million
    if write_price is None:
        write_price = price.input_per_million
    reasoning_price = price.reasoning_per_million
    if reasoning_price is None:
        reasoning_price = price.output_per_million
    plain_input = usage.input_tokens - usage.cached_tokens - usage.cache_write_tokens
    plain_output = usage.output_tokens - usage.reasoning_tokens
    total = Decimal(0)
    for tokens, per_million in (
        (plain_input, price.input_per_million),
        (usage.cached_tokens, cached_price),
        (usage.cache_write_tokens, write_price),
        (plain_output, price.output_per_million),
        (usage.reasoning_tokens, reasoning_price),
    ):
        if tokens:
            total = EXACT.fma(Decimal(tokens), per_million, total)
    return EXACT.multiply(total, _PER_TOKEN)


def native_cost(metered: MeteredUsage, price: Price) -> Decimal:
    """What the call costs by that row in its currency, unrounded: its tokens, or its units.

    A price per unit has nothing to do with tokens, and a price per token nothing with units.
    """
    if price.unit == TOKEN:
        explicit = metered.cache_type == "explicit"
        return cost_of(metered.usage, price, explicit_cache=explicit)
    return EXACT.multiply(metered.units, price.per_unit or Decimal(0))
