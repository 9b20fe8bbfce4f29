"""`sessions`: one conversation each."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from uuid import UUID

from sqlalchemy import (
    CheckConstraint,
    Enum,
    ForeignKey,
    Index,
    Integer,
    Numeric,
    String,
    func,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column

from callsheet.db.base import Base, IdMixin, SoftDeleteMixin, TimestampMixin

SESSION_STATUSES = ("pending", "running", "completed", "failed")


class AgentChatSession(IdMixin, TimestampMixin, SoftDeleteMixin, Base):
    """A conversation and its totals.

    `total_cost` and `total_tokens` cover deleted messages too, `message_count` does not. Only
    the ledger writes the totals.
    """

    __tablename__ = "sessions"
    __table_args__ = (
        CheckConstraint("message_count >= 0", name="message_count"),
        CheckConstraint("total_tokens >= 0", name="total_tokens"),
        CheckConstraint("total_cost >= 0", name="total_cost"),
        Index("idx_sessions_user_created", "user_id", text("created_at DESC")),
        Index("idx_sessions_user_last_activity", "user_id", text("last_activity_at DESC")),
    )

    user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id"))
    title: Mapped[str | None] = mapped_column(String(255))
    status: Mapped[str] = mapped_column(
        Enum(*SESSION_STATUSES, name="session_status"), server_default="pending"
    )
    last_activity_at: Mapped[datetime] = mapped_column(server_default=func.now())
    message_count: Mapped[int] = mapped_column(Integer, server_default=text("0"))
    total_tokens: Mapped[int] = mapped_column(Integer, server_default=text("0"))
    total_cost: Mapped[Decimal] = mapped_column(Numeric(12, 6), server_default=text("0"))
