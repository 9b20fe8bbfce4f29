"""Usage times price."""

from __future__ import annotations

from decimal import Decimal

from callsheet.events.usage import Usage
from callsheet.ledger.price import Price


def cost_of(usage: Usage, price: Price) -> Decimal:
    """What the tokens cost in the price's currency, unrounded.

    Each token is priced once, by its kind: cached and cache-write tokens are taken out of the
    input, reasoning tokens out of the output.
    """
    write_price = price.cache_write_per_million
    if write_price is None:
        write_price = price.input_per_million
    reasoning_price = price.reasoning_per_million
    if reasoning_price is None:
        reasoning_price = price.output_per_million
    plain_input = usage.input_tokens - usage.cached_tokens - usage.cache_write_tokens
    plain_output = usage.output_tokens - usage.reasoning_tokens
    return (
        plain_input * price.input_per_million
        + usage.cached_tokens * price.cached_per_million
        + usage.cache_write_tokens * write_price
        + plain_output * price.output_per_million
        + usage.reasoning_tokens * reasoning_price
    ) / 1_000_000
