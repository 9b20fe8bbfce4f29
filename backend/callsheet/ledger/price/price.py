"""What a model costs, and when."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Final
from uuid import UUID

TOKEN: Final = "token"  # noqa: S105 - a unit of text
REQUEST: Final = "request"
ANY_TIME: Final = "any"
_NOTHING: Final = Decimal(0)


@dataclass(frozen=True, slots=True)
class Price:
    """One price row, valid from (in) to (out). None: open-ended.

    `unit` `token`: money per million tokens, for requests with more than `tier_min_input` up to
    and with `tier_max_input` input tokens. Any other unit: `per_unit` is the price of one second,
    character, image or request. A row of a window goes before one of `any` time.

    A missing explicit-cache price is the cached price, a missing cache-write price the input
    price, a missing reasoning price the output price.
    """

    id: UUID
    factory: str
    model_code: str
    currency: str
    valid_from: datetime | None
    valid_to: datetime | None
    input_per_million: Decimal
    cached_per_million: Decimal
    cache_write_per_million: Decimal | None
    output_per_million: Decimal
    reasoning_per_million: Decimal | None
    explicit_cached_per_million: Decimal | None = None
    unit: str = TOKEN
    per_unit: Decimal | None = None
    tier_min_input: int = 0
    tier_max_input: int | None = None
    window_code: str = ANY_TIME
    source: str = ""
    verified: bool = False

    def holds_at(self, moment: datetime) -> bool:
        """Whether the row is valid then; says nothing about its window."""
        begun = self.valid_from is None or self.valid_from <= moment
        return begun and (self.valid_to is None or moment < self.valid_to)

    def takes(self, input_tokens: int) -> bool:
        """Whether a request of that size falls into the row's tier; an empty one into the first."""
        within = self.tier_max_input is None or input_tokens <= self.tier_max_input
        return within and (input_tokens > self.tier_min_input or self.tier_min_input == 0)

    @property
    def dearest_input(self) -> Decimal:
        """The most that a million input tokens can cost."""
        return max(
            self.input_per_million,
            self.cached_per_million,
            self.explicit_cached_per_million or _NOTHING,
            self.cache_write_per_million or _NOTHING,
        )

    @property
    def dearest_output(self) -> Decimal:
        """The most that a million output tokens can cost."""
        return max(self.output_per_million, self.reasoning_per_million or _NOTHING)
