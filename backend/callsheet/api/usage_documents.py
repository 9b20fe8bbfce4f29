"""The documents about what was spent. Money is in decimal strings; what is unknown is no zero."""

from __future__ import annotations

from datetime import date, datetime
from typing import Literal
from uuid import UUID

import msgspec

from callsheet.api.documents import Document

Shown = str | msgspec.UnsetType
"""Left out where the deployment hides it."""
Key = str | msgspec.UnsetType | None
"""Left out where nobody asked for it; null where the calls have none."""


class Spending(Document, frozen=True, kw_only=True):
    """What a day or month came to; what calls under way may still cost is `reserved`."""

    start: datetime
    end: datetime
    calls: int
    tokens: int
    reserved_tokens: int
    cost: Shown = msgspec.UNSET
    reserved_cost: Shown = msgspec.UNSET


class LimitLeft(Document, frozen=True, kw_only=True):
    """A limit that is set, and what is left of it; amounts are decimal strings."""

    scope: Literal["user_day", "user_month"]
    measure: Literal["cost", "tokens", "calls"]
    limit: str
    used: str
    reserved: str
    left: str
    resets_at: datetime


class UsageToday(Document, frozen=True, kw_only=True):
    """The caller's own present day and month, as `zone` has them."""

    zone: str
    day: Spending
    month: Spending
    limits: list[LimitLeft]
    currency: Shown = msgspec.UNSET


class UsageCall(Document, frozen=True, kw_only=True):
    """One request to a provider. `cost` is null while it is not known: open, or without a price."""

    id: UUID
    started_at: datetime
    settled_at: datetime | None
    session_id: UUID | None
    run_id: UUID | None
    message_id: UUID | None
    workflow: str | None
    purpose: str
    stage: str | None
    agent: str | None
    tool: str | None
    attempt: int
    status: Literal["open", "settled", "failed", "aborted", "orphaned"]
    estimated: bool
    unpriced: bool
    input_tokens: int
    cached_tokens: int
    cache_write_tokens: int
    output_tokens: int
    reasoning_tokens: int
    provider: Shown = msgspec.UNSET
    model: Shown = msgspec.UNSET
    cost: str | msgspec.UnsetType | None = msgspec.UNSET
    reserved_cost: Shown = msgspec.UNSET
    currency: Shown = msgspec.UNSET


class UsageCallPage(Document, frozen=True, kw_only=True):
    """Calls, and where the next page begins."""

    items: list[UsageCall]
    next_cursor: str | None


class UsageSums(Document, frozen=True, kw_only=True):
    """Sums over calls. `estimatedCost` is a part of `cost`; open and unpriced calls are not in it.

    `unpricedTokens` are what calls without a price used, `reservedCost` is held for open ones.
    """

    calls: int
    input_tokens: int
    cached_tokens: int
    cache_write_tokens: int
    output_tokens: int
    reasoning_tokens: int
    estimated_calls: int
    unpriced_calls: int
    unpriced_tokens: int
    open_calls: int
    cost: Shown = msgspec.UNSET
    estimated_cost: Shown = msgspec.UNSET
    reserved_cost: Shown = msgspec.UNSET
    currency: Shown = msgspec.UNSET


class UsageGroup(UsageSums, frozen=True, kw_only=True):
    """The sums of one group; it has the members that `by` asked for."""

    day: date | msgspec.UnsetType = msgspec.UNSET
    provider: Shown = msgspec.UNSET
    model: Shown = msgspec.UNSET
    user: Shown = msgspec.UNSET
    stage: Key = msgspec.UNSET
    agent: Key = msgspec.UNSET
    tool: Key = msgspec.UNSET
    purpose: Shown = msgspec.UNSET
    session_id: Key = msgspec.UNSET
    workflow: Key = msgspec.UNSET


class UsagePeriod(Document, frozen=True, kw_only=True):
    """The days from `first` to `last`, both in."""

    first: date
    last: date
    zone: str


class UsageReport(Document, frozen=True, kw_only=True):
    """The groups of a period and their sum; more than one sum only where currencies are mixed."""

    period: UsagePeriod
    items: list[UsageGroup]
    totals: list[UsageSums]


class ModelPrice(Document, frozen=True, kw_only=True):
    """Whether a model can be billed now: it has a price, which somebody has compared."""

    provider: str
    model: str
    priced: bool
    verified: bool
    detail: str


class Billing(Document, frozen=True, kw_only=True):
    """Every model that an active workflow names; `incomplete` where one cannot be billed."""

    status: Literal["complete", "incomplete"]
    models: list[ModelPrice]
