"""What all tables share."""

from __future__ import annotations

from datetime import datetime
from typing import Final
from uuid import UUID

from sqlalchemy import DateTime, MetaData, Uuid, func, text
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

NAMES: Final = {
    "pk": "pk_%(table_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ix": "idx_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
}


def is_ours(name: str | None, kind: str, parents: object) -> bool:
    """Whether alembic compares it with the tables here; pgqueuer's own are its own business."""
    del parents
    return kind != "table" or name is None or not name.startswith("pgqueuer")


class Base(DeclarativeBase):
    """The root of every table; moments are stored with their zone."""

    metadata = MetaData(naming_convention=NAMES)
    type_annotation_map = {datetime: DateTime(timezone=True), UUID: Uuid()}  # noqa: RUF012


class IdMixin:
    """A UUID key; made by the database where the writer brings none."""

    id: Mapped[UUID] = mapped_column(
        primary_key=True, server_default=text("gen_random_uuid()"), sort_order=-10
    )


class CreatedMixin:
    """When the row came to be, by the database's clock."""

    created_at: Mapped[datetime] = mapped_column(server_default=func.now(), sort_order=90)


class TimestampMixin(CreatedMixin):
    """When the row came to be and when it was last changed.

    Every UPDATE that is written with SQLAlchemy moves `updated_at`; raw SQL has to do it itself.
    """

    updated_at: Mapped[datetime] = mapped_column(
        server_default=func.now(), onupdate=func.now(), sort_order=91
    )


class SoftDeleteMixin:
    """A row with `deleted_at` is gone for users and stays for the auditor."""

    deleted_at: Mapped[datetime | None] = mapped_column(sort_order=92)
