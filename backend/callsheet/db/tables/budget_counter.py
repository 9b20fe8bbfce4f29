"""`budget_counters`: what was spent and is held in a period, kept in the ledger's transactions."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Final

from sqlalchemy import BigInteger, CheckConstraint, Numeric, Text, func, text
from sqlalchemy.orm import Mapped, mapped_column

from callsheet.db.base import Base

COUNTED_SCOPES: Final = ("deployment", "user")
PERIODS: Final = ("day", "month")

_ZERO: Final = text("0")


class BudgetCounter(Base):
    """One period of one scope. Runs and sessions need no counter: their ledger rows are few.

    `scope_id` is the user's id, or '' for the deployment. `period_start` is when the day or month
    began in the zone of `config/quotas.yaml`. A call counts in the period in which it started:
    `calls` when its row is opened, `tokens` and `cost` when it is settled; until then its estimate
    is in `reserved_tokens` and `reserved_cost`. Rows are locked in the order of their key.
    """

    __tablename__ = "budget_counters"
    __table_args__ = (
        CheckConstraint(f"scope IN {COUNTED_SCOPES!r}", name="scope"),
        CheckConstraint(f"period IN {PERIODS!r}", name="period"),
        CheckConstraint(
            "least(calls, tokens, reserved_tokens) >= 0 AND least(cost, reserved_cost) >= 0",
            name="not_negative",
        ),
    )

    scope: Mapped[str] = mapped_column(Text, primary_key=True)
    scope_id: Mapped[str] = mapped_column(Text, primary_key=True)
    period: Mapped[str] = mapped_column(Text, primary_key=True)
    period_start: Mapped[datetime] = mapped_column(primary_key=True)
    calls: Mapped[int] = mapped_column(BigInteger, server_default=_ZERO)
    tokens: Mapped[int] = mapped_column(BigInteger, server_default=_ZERO)
    cost: Mapped[Decimal] = mapped_column(Numeric(24, 12), server_default=_ZERO)
    reserved_tokens: Mapped[int] = mapped_column(BigInteger, server_default=_ZERO)
    reserved_cost: Mapped[Decimal] = mapped_column(Numeric(24, 12), server_default=_ZERO)
    updated_at: Mapped[datetime] = mapped_column(server_default=func.now(), onupdate=func.now())
