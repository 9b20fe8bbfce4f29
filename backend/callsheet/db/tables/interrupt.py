"""`interrupts`: what runs wait for, and what was answered."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, Index, Integer, String, Text, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from callsheet.db.base import Base, IdMixin, TimestampMixin

INTERRUPT_REASONS = ("question", "approval", "client_tool", "budget")
INTERRUPT_STATUSES = ("open", "answered", "closed", "expired")
_OPEN = "status = 'open'"


class InterruptRow(IdMixin, TimestampMixin, Base):
    """One question, approval or pending tool of the client; `place` is its order in the pause.

    Who answered is `answered_by`; the run that goes on with it is `answered_run_id`. An answer of
    nothing at all is the JSON null, not NULL.
    """

    __tablename__ = "interrupts"
    __table_args__ = (
        CheckConstraint(f"reason IN {INTERRUPT_REASONS!r}", name="reason"),
        CheckConstraint(f"status IN {INTERRUPT_STATUSES!r}", name="status"),
        CheckConstraint("answer_status IN ('resolved', 'cancelled')", name="answer_status"),
        CheckConstraint(
            "(status = 'answered') = (answered_at IS NOT NULL)"
            " AND (status = 'answered') = (answered_run_id IS NOT NULL)"
            " AND (status = 'answered') = (answer_status IS NOT NULL)",
            name="answered",
        ),
        Index("idx_interrupts_run", "run_id", "place"),
        Index("idx_interrupts_session", "session_id"),
        Index(
            "idx_interrupts_open_user",
            "user_id",
            text("created_at DESC"),
            text("id DESC"),
            postgresql_where=text(_OPEN),
        ),
        Index("idx_interrupts_open_expires", "expires_at", postgresql_where=text(_OPEN)),
        Index("idx_interrupts_answered_run", "answered_run_id"),
    )

    run_id: Mapped[UUID] = mapped_column(ForeignKey("runs.id"))
    session_id: Mapped[UUID] = mapped_column(ForeignKey("sessions.id"))
    user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id"))
    place: Mapped[int] = mapped_column(Integer)
    reason: Mapped[str] = mapped_column(Text)
    message: Mapped[str] = mapped_column(Text)
    tool_call_id: Mapped[str | None] = mapped_column(Text)
    tool: Mapped[str | None] = mapped_column(String(100))
    response_schema: Mapped[dict[str, Any] | None] = mapped_column(JSONB(none_as_null=True))
    detail: Mapped[dict[str, Any]] = mapped_column(JSONB, server_default=text("'{}'"))
    status: Mapped[str] = mapped_column(Text, server_default="open")
    expires_at: Mapped[datetime]
    answered_at: Mapped[datetime | None]
    answered_by: Mapped[UUID | None] = mapped_column(ForeignKey("users.id"))
    answered_run_id: Mapped[UUID | None] = mapped_column(ForeignKey("runs.id"))
    answer_status: Mapped[str | None] = mapped_column(Text)
    payload: Mapped[Any | None] = mapped_column(JSONB)
