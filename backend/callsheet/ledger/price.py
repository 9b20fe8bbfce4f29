"""What a model costs, and when."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from uuid import UUID


@dataclass(frozen=True, slots=True)
class Price:
    """One price row: money per million tokens, valid from (in) to (out). None: open-ended.

    A missing cache-write price is the input price, a missing reasoning price the output price.
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

    def holds_at(self, moment: datetime) -> bool:
        """Whether the row is valid then."""
        begun = self.valid_from is None or self.valid_from <= moment
        return begun and (self.valid_to is None or moment < self.valid_to)
