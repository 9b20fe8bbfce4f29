"""`workers`: the processes that are up, and when they were last heard of."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Boolean, CheckConstraint, Integer, Text, func, text
from sqlalchemy.orm import Mapped, mapped_column

from callsheet.db.base import Base

WORKER_KINDS = ("serve", "api", "worker", "command")


class WorkerRow(Base):
    """One process; its row goes when it ends in order.

    `lock_key` is the number of the advisory lock that it holds while it lives. It is taken for
    dead when the lock is free, or when it was not heard of for `lease_ms`.
    """

    __tablename__ = "workers"
    __table_args__ = (
        CheckConstraint(f"kind IN {WORKER_KINDS!r}", name="kind"),
        CheckConstraint("lease_ms > 0", name="lease_ms"),
    )

    id: Mapped[str] = mapped_column(Text, primary_key=True)
    kind: Mapped[str] = mapped_column(Text)
    lock_key: Mapped[int] = mapped_column(Integer)
    lease_ms: Mapped[int] = mapped_column(Integer)
    started_at: Mapped[datetime] = mapped_column(server_default=func.now())
    heartbeat_at: Mapped[datetime] = mapped_column(server_default=func.now())
    draining: Mapped[bool] = mapped_column(Boolean, server_default=text("false"))
