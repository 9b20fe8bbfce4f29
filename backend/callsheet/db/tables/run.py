"""`runs`: one attempt to answer one user message."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    ForeignKey,
    Index,
    Integer,
    SmallInteger,
    String,
    Text,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from callsheet.db.base import Base, IdMixin, TimestampMixin

RUN_STATUSES = (
    "queued",
    "running",
    "waiting_input",
    "succeeded",
    "failed",
    "cancelled",
    "interrupted",
)
_ACTIVE = "status IN ('queued', 'running')"
_WAITS = f"worker_id IS NULL AND {_ACTIVE}"


class Run(IdMixin, TimestampMixin, Base):
    """A run, who works on it and how it ended.

    `raw_run_id` and `raw_thread_id` are the client's own spelling, given back in every event.
    `lease_epoch` grows with each worker that takes the run; writes of an older one are refused.
    `input` holds what the client sent beside the message. A session has one active run, or one
    that waits for a person.
    `journal` says what is left of it once the run has ended.
    `continues_run_id` is the run that this one goes on from, which only one does; `root_run_id`
    the first of that chain, null in the first itself.
    A run without a worker waits for one: those of a higher `priority` first, until `expires_at` if
    it has not begun; one that is `behind` waits for its session's active run first. `take_overs`
    counts the workers that died with it.
    """

    __tablename__ = "runs"
    __table_args__ = (
        CheckConstraint(f"status IN {RUN_STATUSES!r}", name="status"),
        CheckConstraint("protocol IN ('0.x', '1.0')", name="protocol"),
        CheckConstraint("lease_epoch >= 0", name="lease_epoch"),
        CheckConstraint("journal IN ('whole', 'packed', 'gone')", name="journal"),
        Index(
            "idx_runs_journal_finished",
            "journal",
            "finished_at",
            postgresql_where=text("journal <> 'gone'"),
        ),
        Index(
            "uq_runs_active_session",
            "session_id",
            unique=True,
            postgresql_where=text(f"{_ACTIVE} AND NOT behind"),
        ),
        Index(
            "idx_runs_behind",
            "session_id",
            "created_at",
            postgresql_where=text("behind AND status = 'queued'"),
        ),
        Index(
            "idx_runs_waiting_session",
            "session_id",
            postgresql_where=text("status = 'waiting_input'"),
        ),
        CheckConstraint("(continues_run_id IS NULL) = (root_run_id IS NULL)", name="chain"),
        Index(
            "uq_runs_continues",
            "continues_run_id",
            unique=True,
            postgresql_where=text("continues_run_id IS NOT NULL"),
        ),
        Index("idx_runs_root", "root_run_id", postgresql_where=text("root_run_id IS NOT NULL")),
        CheckConstraint("take_overs >= 0", name="take_overs"),
        Index("idx_runs_waiting", "created_at", postgresql_where=text(_WAITS)),
        Index("idx_runs_session_created", "session_id", text("created_at DESC")),
    )

    session_id: Mapped[UUID] = mapped_column(ForeignKey("sessions.id"))
    user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id"))
    workflow: Mapped[str] = mapped_column(String(100))
    revision: Mapped[str | None] = mapped_column(String(64))
    status: Mapped[str] = mapped_column(Text, server_default="queued")
    raw_run_id: Mapped[str] = mapped_column(Text)
    raw_thread_id: Mapped[str] = mapped_column(Text)
    parent_run_id: Mapped[UUID | None] = mapped_column(ForeignKey("runs.id"))
    continues_run_id: Mapped[UUID | None] = mapped_column(ForeignKey("runs.id"))
    root_run_id: Mapped[UUID | None] = mapped_column(ForeignKey("runs.id"))
    user_message_id: Mapped[UUID | None] = mapped_column(ForeignKey("messages.id"))
    protocol: Mapped[str] = mapped_column(Text, server_default="0.x")
    worker_id: Mapped[str | None] = mapped_column(Text)
    lease_epoch: Mapped[int] = mapped_column(Integer, server_default=text("0"))
    priority: Mapped[int] = mapped_column(SmallInteger, server_default=text("0"))
    expires_at: Mapped[datetime | None]
    behind: Mapped[bool] = mapped_column(Boolean, server_default=text("false"))
    take_overs: Mapped[int] = mapped_column(SmallInteger, server_default=text("0"))
    error_code: Mapped[str | None] = mapped_column(Text)
    error_message: Mapped[str | None] = mapped_column(Text)
    trace_id: Mapped[str | None] = mapped_column(Text)
    input: Mapped[dict[str, Any] | None] = mapped_column(JSONB(none_as_null=True))
    journal: Mapped[str] = mapped_column(Text, server_default="whole")
    usage: Mapped[Any | None] = mapped_column(JSONB(none_as_null=True))
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]
