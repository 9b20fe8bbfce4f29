"""`session_todo_items`: the steps of a todo list."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import (
    CheckConstraint,
    ForeignKey,
    Index,
    Integer,
    String,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column

from callsheet.db.base import Base, IdMixin

ITEM_STATUSES = ("pending", "running", "completed")


class SessionTodoItem(IdMixin, Base):
    """One step; `order_index` counts from 0. At most one step of a list is running."""

    __tablename__ = "session_todo_items"
    __table_args__ = (
        CheckConstraint(f"status IN {ITEM_STATUSES!r}", name="status"),
        CheckConstraint("order_index >= 0", name="order_index"),
        UniqueConstraint("list_id", "order_index"),
        Index(
            "uq_session_todo_items_running",
            "list_id",
            unique=True,
            postgresql_where=text("status = 'running'"),
        ),
    )

    list_id: Mapped[UUID] = mapped_column(ForeignKey("session_todo_lists.id", ondelete="CASCADE"))
    label: Mapped[str] = mapped_column(String(500))
    status: Mapped[str] = mapped_column(Text)
    order_index: Mapped[int] = mapped_column(Integer)
