"""`run_events`: the journal, append-only."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import CheckConstraint, Integer, func
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from callsheet.db.base import Base


class RunEventRow(Base):
    """One event of a run; `seq` counts from 1 in its run without a gap.

    Long after the run's end the deltas of one text are packed into the row of the last of them.

    `run_id` has no foreign key: whoever appends locks the run's row, which gives the id, and a
    second lock for each event would cost as much as the event.
    """

    __tablename__ = "run_events"
    __table_args__ = (CheckConstraint("seq >= 1", name="seq"),)

    run_id: Mapped[UUID] = mapped_column(primary_key=True)
    seq: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    at: Mapped[datetime] = mapped_column(server_default=func.now())
    event: Mapped[dict[str, Any]] = mapped_column(JSONB)
