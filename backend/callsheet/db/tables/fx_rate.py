"""`fx_rates`: what one unit of a currency is worth in another, and from when."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal

from sqlalchemy import CHAR, CheckConstraint, Numeric, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from callsheet.db.base import Base, CreatedMixin, IdMixin


class FxRate(IdMixin, CreatedMixin, Base):
    """One `base` costs `rate` units of `quote` from `valid_from` until the pair's next row.

    Ledger rows keep the rate that they were booked with; a row here is never changed.
    """

    __tablename__ = "fx_rates"
    __table_args__ = (
        CheckConstraint("rate > 0", name="rate"),
        CheckConstraint("base <> quote", name="pair"),
        UniqueConstraint("base", "quote", "valid_from"),
    )

    base: Mapped[str] = mapped_column(CHAR(3))
    quote: Mapped[str] = mapped_column(CHAR(3))
    rate: Mapped[Decimal] = mapped_column(Numeric(20, 10))
    valid_from: Mapped[datetime]
    source: Mapped[str] = mapped_column(Text)
