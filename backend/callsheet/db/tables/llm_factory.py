"""`llm_factory`: who serves models, and where."""

from __future__ import annotations

from sqlalchemy import String
from sqlalchemy.orm import Mapped, mapped_column

from callsheet.db.base import Base, IdMixin, SoftDeleteMixin, TimestampMixin


class LlmFactory(IdMixin, TimestampMixin, SoftDeleteMixin, Base):
    """One vendor or endpoint; `name` is what YAML and prices refer to."""

    __tablename__ = "llm_factory"

    name: Mapped[str] = mapped_column(String(50), unique=True)
    request_url: Mapped[str] = mapped_column(String(255))
    avatar: Mapped[str | None] = mapped_column(String(255))
