"""`users`: who owns sessions."""

from __future__ import annotations

from sqlalchemy import String
from sqlalchemy.orm import Mapped, mapped_column

from callsheet.db.base import Base, IdMixin, TimestampMixin


class User(IdMixin, TimestampMixin, Base):
    """One person or program; `name` is how its identity provider or API key calls it."""

    __tablename__ = "users"

    name: Mapped[str] = mapped_column(String(100), unique=True)
