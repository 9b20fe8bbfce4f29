"""`user_quotas`: limits of one user that differ from `config/quotas.yaml`."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from sqlalchemy import ForeignKey, Text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from callsheet.db.base import Base, TimestampMixin


class UserQuota(TimestampMixin, Base):
    """`limits` has the shape of a `limits` block of the file; what it leaves out holds as there."""

    __tablename__ = "user_quotas"

    user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id"), primary_key=True)
    limits: Mapped[dict[str, Any]] = mapped_column(JSONB)
    updated_by: Mapped[str] = mapped_column(Text)
