"""The documents about prices: money as decimal strings."""

from __future__ import annotations

from datetime import datetime
from typing import Literal
from uuid import UUID

import msgspec

from callsheet.api.documents import Document

Unit = Literal["token", "second", "character", "image", "request"]


class Price(Document, frozen=True, kw_only=True):
    """One price row, valid from `validFrom` until just before `validTo`; null: open.

    Per million tokens, for inputs over `tierMinInputTokens` up to and with `tierMaxInputTokens`;
    `perUnit` of any other unit. A row of a window goes before one of `any` time. `createdBy` is
    told to admins alone: it may be a user's name.
    """

    id: UUID
    factory: str
    model_code: str
    currency: str
    unit: Unit
    window: str
    valid_from: datetime | None
    valid_to: datetime | None
    tier_min_input_tokens: int
    tier_max_input_tokens: int | None
    input_per_million: str
    cached_per_million: str
    explicit_cached_per_million: str | None
    cache_write_per_million: str | None
    output_per_million: str
    reasoning_per_million: str | None
    per_unit: str | None
    source: str
    verified: bool
    created_at: datetime
    created_by: str | msgspec.UnsetType = msgspec.UNSET


class PricePage(Document, frozen=True, kw_only=True):
    """Prices, and where the next page begins."""

    items: list[Price]
    next_cursor: str | None


class PriceSpan(Document, frozen=True, kw_only=True):
    """Hours of a window: on these weekdays (1 Monday), HH:MM on the clock of the time zone.

    `end` 00:00 is midnight; before `start` it is the next day's.
    """

    window: str
    timezone: str
    weekdays: list[int]
    start: str
    end: str


class ModelPrices(Document, frozen=True, kw_only=True):
    """What a model costs, cost and will cost, by window, beginning and tier.

    `warnings`: what is odd about the price that was begun just now.
    """

    factory: str
    model_code: str
    items: list[Price]
    windows: list[PriceSpan]
    warnings: list[str] | msgspec.UnsetType = msgspec.UNSET
