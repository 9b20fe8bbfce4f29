"""`cost_adjustments`: what a provider's bill says otherwise; append-only."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from uuid import UUID

from sqlalchemy import CHAR, CheckConstraint, ForeignKey, Index, Numeric, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from callsheet.db.base import Base, CreatedMixin, IdMixin


class CostAdjustment(IdMixin, CreatedMixin, Base):
    """A correction beside the ledger, which stays as it is: of one call, or of a provider's day.

    `amount` is added to what the ledger says, may be negative, and is in `currency`, the
    accounting one. `reference` names the line of the bill, so that it is taken once.
    """

    __tablename__ = "cost_adjustments"
    __table_args__ = (
        CheckConstraint("amount <> 0", name="amount"),
        CheckConstraint("call_id IS NOT NULL OR day IS NOT NULL", name="subject"),
        Index("idx_cost_adjustments_day", "day", "factory"),
    )

    call_id: Mapped[UUID | None] = mapped_column(ForeignKey("llm_calls.id"))
    day: Mapped[date | None]
    factory: Mapped[str] = mapped_column(String(50))
    model_code: Mapped[str | None] = mapped_column(String(50))
    amount: Mapped[Decimal] = mapped_column(Numeric(20, 12))
    currency: Mapped[str] = mapped_column(CHAR(3))
    reason: Mapped[str] = mapped_column(Text)
    reference: Mapped[str] = mapped_column(Text, unique=True)
    created_by: Mapped[str] = mapped_column(Text)
