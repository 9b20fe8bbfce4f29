"""`artifacts`: files that tools made; the bytes lie in the data folder."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Index, String, Text, text
from sqlalchemy.orm import Mapped, mapped_column

from callsheet.db.base import Base, CreatedMixin, IdMixin, SoftDeleteMixin


class ArtifactRow(IdMixin, CreatedMixin, SoftDeleteMixin, Base):
    """One file of a session. `sha256` is of its bytes, in hex.

    A tool call that is made again and gives the same bytes under the same name has one row.
    """

    __tablename__ = "artifacts"
    __table_args__ = (
        CheckConstraint("size_bytes >= 0", name="size_bytes"),
        Index(
            "uq_artifacts_call_name_content",
            "session_id",
            "tool_call_id",
            "name",
            "sha256",
            unique=True,
        ),
        Index(
            "idx_artifacts_session_created",
            "session_id",
            text("created_at DESC"),
            text("id DESC"),
            postgresql_where=text("deleted_at IS NULL"),
        ),
        Index(
            "idx_artifacts_deleted", "deleted_at", postgresql_where=text("deleted_at IS NOT NULL")
        ),
    )

    session_id: Mapped[UUID] = mapped_column(ForeignKey("sessions.id"))
    user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id"))
    run_id: Mapped[UUID] = mapped_column(ForeignKey("runs.id"))
    tool_call_id: Mapped[str] = mapped_column(Text)
    name: Mapped[str] = mapped_column(String(255))
    media_type: Mapped[str] = mapped_column(String(127))
    size_bytes: Mapped[int] = mapped_column(BigInteger)
    sha256: Mapped[str] = mapped_column(String(64))
