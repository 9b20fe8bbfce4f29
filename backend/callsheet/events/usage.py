"""Tokens of one or more model calls, in the one normal form of the product."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Literal

import msgspec

UsageSource = Literal["provider", "estimated", "none"]
CacheType = Literal["implicit", "explicit"]


class Usage(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Tokens by kind.

    `input_tokens` includes cached and cache-write tokens; `output_tokens` includes reasoning
    tokens. So total = input + output, and the parts never exceed their whole.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cache_write_tokens: int = 0
    reasoning_tokens: int = 0

    @property
    def total_tokens(self) -> int:
        """All tokens that are billed."""
        return self.input_tokens + self.output_tokens

    def plus(self, other: Usage) -> Usage:
        """The sum of two calls."""
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            cache_write_tokens=self.cache_write_tokens + other.cache_write_tokens,
            reasoning_tokens=self.reasoning_tokens + other.reasoning_tokens,
        )


class MeteredUsage(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What one call used and how we know.

    `raw` is the provider's usage object as it came, None where there was none. `method` says how
    an estimate was made. `cache_type` chooses between the prices of cached tokens; `units` are
    seconds, characters, images or requests, where the price is for these.
    """

    usage: Usage
    source: UsageSource
    raw: Any = None
    method: str | None = None
    cache_type: CacheType | None = None
    units: Decimal = Decimal(0)


class ModelUsage(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a run used of one model: tokens, and what its messages cost, in the accounting currency.

    `cost` is the sum of the rounded costs of messages, as `sessions.total_cost` is. `unpriced`:
    some of it had no price and is in `cost` as 0; so it is in a `Bill`.
    """

    factory: str
    model: str
    usage: Usage
    cost: Decimal
    currency: str
    unpriced: bool = False


class Bill(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What one message cost; travels on the event that ends it.

    `cost` is rounded to the 6 places of `messages.cost`; `seq` is `messages.seq`.
    """

    message_id: str
    seq: int
    model: str
    usage: Usage
    cost: Decimal
    currency: str
    latency_ms: int
    estimated: bool = False
    unpriced: bool = False
