"""`llms`: the models of the catalog."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column

from callsheet.db.base import Base, IdMixin, SoftDeleteMixin, TimestampMixin


class Llm(IdMixin, TimestampMixin, SoftDeleteMixin, Base):
    """One model of one factory; `model_code` is unique over all factories."""

    __tablename__ = "llms"

    factory_id: Mapped[UUID] = mapped_column(ForeignKey("llm_factory.id"))
    model_code: Mapped[str] = mapped_column(String(50), unique=True)
