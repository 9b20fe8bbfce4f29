"""`workflow_revisions`: the YAML that runs ran with."""

from __future__ import annotations

from sqlalchemy import String, UniqueConstraint
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from callsheet.db.base import Base, CreatedMixin, IdMixin


class WorkflowRevision(IdMixin, CreatedMixin, Base):
    """One state of a workflow's folder; `revision` is the hash of its files (path -> text)."""

    __tablename__ = "workflow_revisions"
    __table_args__ = (UniqueConstraint("workflow", "revision"),)

    workflow: Mapped[str] = mapped_column(String(100))
    revision: Mapped[str] = mapped_column(String(64))
    files: Mapped[dict[str, str]] = mapped_column(JSONB)
