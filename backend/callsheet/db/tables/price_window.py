"""`price_windows`: the hours of the week in which a price of its code holds."""

from __future__ import annotations

from datetime import time

from sqlalchemy import CheckConstraint, Integer, Text, Time
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column

from callsheet.db.base import Base, IdMixin


class PriceWindow(IdMixin, Base):
    """One span of a window: on these weekdays (1 Monday to 7 Sunday), local time of `timezone`.

    `from_time` is in, `to_time` is out; `to_time` 00:00 is the end of the day, and a `to_time`
    before `from_time` reaches into the next day. A window is the union of its code's spans. One
    whose price a ledger row points at stays as it is (`trg_price_windows_frozen`).
    """

    __tablename__ = "price_windows"
    __table_args__ = (
        CheckConstraint("code <> 'any'", name="code"),
        CheckConstraint(
            "cardinality(weekdays) > 0 AND weekdays <@ ARRAY[1, 2, 3, 4, 5, 6, 7]", name="weekdays"
        ),
        CheckConstraint(
            "from_time = date_trunc('minute', from_time) "
            "AND to_time = date_trunc('minute', to_time)",
            name="minutes",
        ),
    )

    code: Mapped[str] = mapped_column(Text, index=True)
    timezone: Mapped[str] = mapped_column(Text)
    weekdays: Mapped[list[int]] = mapped_column(ARRAY(Integer))
    from_time: Mapped[time] = mapped_column(Time)
    to_time: Mapped[time] = mapped_column(Time)
