"""`llm_calls`: the ledger, one row per upstream attempt."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

from sqlalchemy import (
    CHAR,
    Boolean,
    CheckConstraint,
    ForeignKey,
    Index,
    Integer,
    Numeric,
    String,
    Text,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from callsheet.db.base import Base, IdMixin

CALL_STATUSES = ("open", "settled", "failed", "aborted", "orphaned")
USAGE_SOURCES = ("provider", "estimated", "none")
CACHE_TYPES = ("implicit", "explicit")
STANDALONE_PURPOSES = ("transcription", "embedding", "title")

_ZERO: Final = text("0")
_CHECKS: Final = {
    "status": f"status IN {CALL_STATUSES!r}",
    "usage_source": f"usage_source IN {USAGE_SOURCES!r}",
    "not_negative": "least(input_tokens, cached_tokens, cache_write_tokens, output_tokens, "
    "reasoning_tokens, reserved_tokens, cost_native, cost_exact, reserved_cost) >= 0",
    "input_parts": "cached_tokens + cache_write_tokens <= input_tokens",
    "output_parts": "reasoning_tokens <= output_tokens",
    "settled_at": "(status = 'open') = (settled_at IS NULL)",
    "settled_source": "status = 'open' OR usage_source IS NOT NULL",
    "raw_usage": "usage_source IS DISTINCT FROM 'provider' OR raw_usage IS NOT NULL",
    "message": "status <> 'settled' OR message_id IS NOT NULL "
    f"OR purpose IN {STANDALONE_PURPOSES!r}",
    "session": f"session_id IS NOT NULL OR purpose IN {STANDALONE_PURPOSES!r}",
    "attempt": "attempt >= 1",
    "fx_rate": "fx_rate > 0",
    "cache_type": f"cache_type IN {CACHE_TYPES!r}",
    "usage_method": "usage_source IS DISTINCT FROM 'estimated' OR usage_method IS NOT NULL",
    "units": "units >= 0",
    "unpriced": "price_id IS NOT NULL OR (unpriced AND cost_exact = 0)",
}


class LlmCall(IdMixin, Base):
    """One request to a provider: opened before it leaves, settled exactly once after.

    `input_tokens` holds cached and cache-write tokens, `output_tokens` reasoning tokens.
    `cost_native` is in `price_currency`; times `fx_rate` it is `cost_exact`, in `currency`.
    `usage_method` says how tokens were estimated; `units` are seconds, characters, images or
    requests where the price is per unit. `cache_type` says which cache price holds. `tool` names
    the tool that asked. `unpriced`: the deployment lets models without a price be called.
    Rows outlive the content they paid for.
    """

    __tablename__ = "llm_calls"
    __table_args__ = (
        *(CheckConstraint(rule, name=name) for name, rule in _CHECKS.items()),
        Index("idx_llm_calls_message", "message_id"),
        Index("idx_llm_calls_run", "run_id"),
        Index("idx_llm_calls_session", "session_id", "started_at"),
        Index("idx_llm_calls_price", "price_id"),
        Index("idx_llm_calls_started", "started_at"),
        Index("idx_llm_calls_day", text("((started_at AT TIME ZONE 'UTC')::date)")),
        Index("idx_llm_calls_user", "user_id", "started_at"),
        Index("idx_llm_calls_open", "started_at", postgresql_where=text("status = 'open'")),
    )

    idempotency_key: Mapped[str] = mapped_column(Text, unique=True)
    run_id: Mapped[UUID | None] = mapped_column(ForeignKey("runs.id"))
    session_id: Mapped[UUID | None] = mapped_column(ForeignKey("sessions.id"))
    message_id: Mapped[UUID | None] = mapped_column(ForeignKey("messages.id"))
    user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id"))
    purpose: Mapped[str] = mapped_column(Text, server_default="answer")
    stage: Mapped[str | None] = mapped_column(Text)
    agent: Mapped[str | None] = mapped_column(Text)
    tool: Mapped[str | None] = mapped_column(String(100))
    attempt: Mapped[int] = mapped_column(Integer, server_default=text("1"))
    factory: Mapped[str] = mapped_column(String(50))
    model_code: Mapped[str] = mapped_column(String(50))
    response_model: Mapped[str | None] = mapped_column(Text)
    price_id: Mapped[UUID | None] = mapped_column(ForeignKey("llm_prices.id"))
    unpriced: Mapped[bool] = mapped_column(Boolean, server_default=text("false"))
    status: Mapped[str] = mapped_column(Text, server_default="open")
    usage_source: Mapped[str | None] = mapped_column(Text)
    usage_method: Mapped[str | None] = mapped_column(Text)
    upstream_id: Mapped[str | None] = mapped_column(Text)
    input_tokens: Mapped[int] = mapped_column(Integer, server_default=_ZERO)
    cached_tokens: Mapped[int] = mapped_column(Integer, server_default=_ZERO)
    cache_write_tokens: Mapped[int] = mapped_column(Integer, server_default=_ZERO)
    output_tokens: Mapped[int] = mapped_column(Integer, server_default=_ZERO)
    reasoning_tokens: Mapped[int] = mapped_column(Integer, server_default=_ZERO)
    cache_type: Mapped[str | None] = mapped_column(Text)
    units: Mapped[Decimal] = mapped_column(Numeric(18, 6), server_default=_ZERO)
    price_currency: Mapped[str] = mapped_column(CHAR(3))
    cost_native: Mapped[Decimal] = mapped_column(Numeric(20, 12), server_default=_ZERO)
    fx_rate: Mapped[Decimal] = mapped_column(Numeric, server_default=text("1"))
    cost_exact: Mapped[Decimal] = mapped_column(Numeric(20, 12), server_default=_ZERO)
    currency: Mapped[str] = mapped_column(CHAR(3))
    reserved_cost: Mapped[Decimal] = mapped_column(Numeric(20, 12), server_default=_ZERO)
    reserved_tokens: Mapped[int] = mapped_column(Integer, server_default=_ZERO)
    raw_usage: Mapped[Any | None] = mapped_column(JSONB(none_as_null=True))
    error_code: Mapped[str | None] = mapped_column(Text)
    finish_reason: Mapped[str | None] = mapped_column(Text)
    started_at: Mapped[datetime] = mapped_column(server_default=func.now())
    first_token_at: Mapped[datetime | None]
    settled_at: Mapped[datetime | None]
