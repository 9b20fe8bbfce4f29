"""`messages`: what was said, by whom, and what it cost."""

from __future__ import annotations

from decimal import Decimal
from typing import Any
from uuid import UUID

from sqlalchemy import (
    CHAR,
    CheckConstraint,
    Enum,
    ForeignKey,
    Index,
    Integer,
    Numeric,
    String,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from callsheet.db.base import Base, IdMixin, SoftDeleteMixin, TimestampMixin

MESSAGE_ROLES = ("user", "assistant", "system", "tool")


class AgentChatMessage(IdMixin, TimestampMixin, SoftDeleteMixin, Base):
    """One message; `seq` counts within its session from 1 and is never used again.

    `cost` is the sum of its ledger rows, rounded half-up to 6 places. The column `metadata` is
    the attribute `meta` here, because the ORM keeps the name for itself.
    """

    __tablename__ = "messages"
    __table_args__ = (
        CheckConstraint("input_tokens >= 0", name="input_tokens"),
        CheckConstraint("output_tokens >= 0", name="output_tokens"),
        CheckConstraint("cost >= 0", name="cost"),
        Index("idx_messages_session_created", "session_id", text("created_at DESC")),
        Index("idx_messages_session_role", "session_id", "role"),
        UniqueConstraint("session_id", "seq", name="uq_messages_session_seq"),
    )

    session_id: Mapped[UUID] = mapped_column(ForeignKey("sessions.id"))
    seq: Mapped[int] = mapped_column(Integer)
    role: Mapped[str] = mapped_column(Enum(*MESSAGE_ROLES, name="message_role"))
    content: Mapped[str] = mapped_column(Text)
    model_code: Mapped[str | None] = mapped_column(String(50))
    tool_name: Mapped[str | None] = mapped_column(String(100))
    input_tokens: Mapped[int] = mapped_column(Integer, server_default=text("0"))
    output_tokens: Mapped[int] = mapped_column(Integer, server_default=text("0"))
    cost: Mapped[Decimal] = mapped_column(Numeric(12, 6), server_default=text("0"))
    currency: Mapped[str] = mapped_column(CHAR(3), server_default="USD")
    latency_ms: Mapped[int | None] = mapped_column(Integer)
    meta: Mapped[dict[str, Any] | None] = mapped_column("metadata", JSONB(none_as_null=True))
