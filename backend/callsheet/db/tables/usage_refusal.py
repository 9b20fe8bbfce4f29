"""`usage_refusals`: what was not let through, and why; append-only."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ForeignKey, Index, Text, func, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from callsheet.db.base import Base, IdMixin


class UsageRefusal(IdMixin, Base):
    """A turn or a model call that a budget, a quota or a rate refused; nothing was sent for it.

    `code` is the error's code, `scope` the limit's (run, session, user, deployment, provider);
    `call_id` names the call where it was one. `detail` has the limit and where it stood.
    """

    __tablename__ = "usage_refusals"
    __table_args__ = (
        Index("idx_usage_refusals_user", "user_id", "at"),
        Index("idx_usage_refusals_day", text("((at AT TIME ZONE 'UTC')::date)")),
    )

    at: Mapped[datetime] = mapped_column(server_default=func.now())
    user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id"))
    run_id: Mapped[UUID | None]
    call_id: Mapped[UUID | None]
    code: Mapped[str] = mapped_column(Text)
    scope: Mapped[str] = mapped_column(Text)
    detail: Mapped[dict[str, Any]] = mapped_column(JSONB)
