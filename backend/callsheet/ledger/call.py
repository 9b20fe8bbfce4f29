"""A ledger row: one request to a provider."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from uuid import UUID

from callsheet.events.usage import MeteredUsage


@dataclass(frozen=True, slots=True)
class OpenedCall:
    """A row as it is written before the request leaves.

    Only a call of a purpose of its own (a title) belongs to no run and to no message.
    """

    id: str
    run_id: UUID | None
    session_id: UUID
    user_id: UUID
    message_id: str | None
    purpose: str
    stage: str
    agent: str
    attempt: int
    factory: str
    model_code: str
    price_id: str | None
    price_currency: str
    fx_rate: Decimal
    currency: str
    reserved_cost: Decimal
    reserved_tokens: int
    tool: str | None
    started_at: datetime
    session_budget: Decimal | None = None


@dataclass(frozen=True, slots=True)
class SettledCall:
    """What is written over it once, when the request has ended."""

    id: str
    message_id: str | None
    session_id: UUID
    status: str
    metered: MeteredUsage
    raw_usage: str | None
    price_id: str | None
    cost_native: Decimal
    cost_exact: Decimal
    latency_ms: int
    first_token_at: datetime | None
    finish_reason: str | None
    error_code: str | None
    upstream_id: str | None
    response_model: str | None
