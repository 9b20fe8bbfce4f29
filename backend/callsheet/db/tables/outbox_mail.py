"""`outbox`: mails that somebody approved, for whoever sends them."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, Index, Text, text
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column

from callsheet.db.base import Base, CreatedMixin, IdMixin


class OutboxMail(IdMixin, CreatedMixin, Base):
    """A mail to be sent; one for each tool call, however often the call is made.

    `sent_at` is set by what sends it, which is not part of the product.
    """

    __tablename__ = "outbox"
    __table_args__ = (
        Index("uq_outbox_tool_call_id", "tool_call_id", unique=True),
        Index("idx_outbox_unsent", "created_at", postgresql_where=text("sent_at IS NULL")),
    )

    tool_call_id: Mapped[str] = mapped_column(Text)
    run_id: Mapped[UUID] = mapped_column(ForeignKey("runs.id"))
    session_id: Mapped[UUID] = mapped_column(ForeignKey("sessions.id"))
    user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id"))
    recipients: Mapped[list[str]] = mapped_column(ARRAY(Text))
    subject: Mapped[str] = mapped_column(Text)
    body: Mapped[str] = mapped_column(Text)
    sent_at: Mapped[datetime | None]
