"""`session_settings`: what a user has set for one conversation."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, Numeric, Text
from sqlalchemy.orm import Mapped, mapped_column

from callsheet.db.base import Base, TimestampMixin

SESSION_MODES = ("full", "plan")


class SessionSettingsRow(TimestampMixin, Base):
    """Made when something is set for the first time; a session without a row has the defaults.

    `persona` is the user's own text. `budget` is the most that the session's calls may cost.
    """

    __tablename__ = "session_settings"
    __table_args__ = (
        CheckConstraint(f"mode IN {SESSION_MODES!r}", name="mode"),
        CheckConstraint("budget >= 0", name="budget"),
    )

    session_id: Mapped[UUID] = mapped_column(ForeignKey("sessions.id"), primary_key=True)
    pinned_at: Mapped[datetime | None]
    mode: Mapped[str] = mapped_column(Text, server_default="full")
    persona: Mapped[str | None] = mapped_column(Text)
    budget: Mapped[Decimal | None] = mapped_column(Numeric(12, 6))
