"""`session_todo_lists`: the steps that an agent has set itself; one list of each session."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, Integer, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from callsheet.db.base import Base, IdMixin, TimestampMixin

LIST_STATUSES = ("active", "completed", "archived")


class SessionTodoList(IdMixin, TimestampMixin, Base):
    """`revision` grows with each change, from 1; `run_id` and `tool_call_id` made the last one.

    The next list of a session takes the row of the one before.
    """

    __tablename__ = "session_todo_lists"
    __table_args__ = (
        CheckConstraint(f"status IN {LIST_STATUSES!r}", name="status"),
        CheckConstraint("revision >= 1", name="revision"),
        UniqueConstraint("session_id"),
    )

    session_id: Mapped[UUID] = mapped_column(ForeignKey("sessions.id"))
    run_id: Mapped[UUID] = mapped_column(ForeignKey("runs.id"))
    tool_call_id: Mapped[str] = mapped_column(Text)
    title: Mapped[str] = mapped_column(String(255))
    revision: Mapped[int] = mapped_column(Integer)
    status: Mapped[str] = mapped_column(Text)
