"""`rate_windows`: requests and tokens of the running minute, shared by all processes."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from sqlalchemy import BigInteger, CheckConstraint, Integer, Text, text
from sqlalchemy.orm import Mapped, mapped_column

from callsheet.db.base import Base

RATED_SCOPES: Final = ("provider", "user")


class RateWindow(Base):
    """What `scope_id` (a user's id, a factory's name) took in the minute from `window_start` on.

    Rows of past minutes mean nothing and are removed.
    """

    __tablename__ = "rate_windows"
    __table_args__ = (
        CheckConstraint(f"scope IN {RATED_SCOPES!r}", name="scope"),
        CheckConstraint("requests >= 0 AND tokens >= 0", name="not_negative"),
    )

    scope: Mapped[str] = mapped_column(Text, primary_key=True)
    scope_id: Mapped[str] = mapped_column(Text, primary_key=True)
    window_start: Mapped[datetime] = mapped_column(primary_key=True)
    requests: Mapped[int] = mapped_column(Integer, server_default=text("0"))
    tokens: Mapped[int] = mapped_column(BigInteger, server_default=text("0"))
