"""`llm_prices`: what a model costs, and when."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal

from sqlalchemy import CHAR, Boolean, CheckConstraint, Index, Integer, Numeric, String, Text, text
from sqlalchemy.dialects.postgresql import TSTZRANGE, Range
from sqlalchemy.orm import Mapped, mapped_column

from callsheet.db.base import Base, CreatedMixin, IdMixin

PRICE_UNITS = ("token", "second", "character", "image", "request")
ANY_TIME = "any"


class LlmPrice(IdMixin, CreatedMixin, Base):
    """A price of (factory, model code), valid in `effective` (lower bound in, upper bound out).

    Per million tokens, in `currency`. A tier holds for inputs over `tier_min_input` up to and
    with `tier_max_input` tokens. A row of a window of `price_windows` goes before one of `any`
    time. A missing cache or reasoning price means the plain one. `per_unit` is the price of one
    second, character, image or request, and of rows of these units alone.

    Two rows that are valid at once are refused by `ex_llm_prices_overlap`; a row that a ledger
    row points at can only be closed, after the last call that it priced
    (`trg_llm_prices_frozen`). Both are made in the migration.
    """

    __tablename__ = "llm_prices"
    __table_args__ = (
        CheckConstraint(f"unit IN {PRICE_UNITS!r}", name="unit"),
        CheckConstraint("(unit = 'token') = (per_unit IS NULL)", name="per_unit"),
        CheckConstraint("NOT isempty(effective)", name="effective"),
        CheckConstraint(
            "tier_min_input >= 0 AND (tier_max_input IS NULL OR tier_max_input > tier_min_input)",
            name="tier",
        ),
        CheckConstraint(
            "least(input_per_million, cached_per_million, explicit_cached_per_million, "
            "cache_write_per_million, output_per_million, reasoning_per_million, per_unit) >= 0",
            name="not_negative",
        ),
        Index("idx_llm_prices_model", "factory", "model_code"),
    )

    factory: Mapped[str] = mapped_column(String(50))
    model_code: Mapped[str] = mapped_column(String(50))
    unit: Mapped[str] = mapped_column(Text, server_default="token")
    currency: Mapped[str] = mapped_column(CHAR(3))
    tier_min_input: Mapped[int] = mapped_column(Integer, server_default=text("0"))
    tier_max_input: Mapped[int | None] = mapped_column(Integer)
    window_code: Mapped[str] = mapped_column(Text, server_default=ANY_TIME)
    effective: Mapped[Range[datetime]] = mapped_column(TSTZRANGE)
    input_per_million: Mapped[Decimal] = mapped_column(Numeric(18, 8), server_default=text("0"))
    cached_per_million: Mapped[Decimal] = mapped_column(Numeric(18, 8), server_default=text("0"))
    explicit_cached_per_million: Mapped[Decimal | None] = mapped_column(Numeric(18, 8))
    cache_write_per_million: Mapped[Decimal | None] = mapped_column(Numeric(18, 8))
    output_per_million: Mapped[Decimal] = mapped_column(Numeric(18, 8), server_default=text("0"))
    reasoning_per_million: Mapped[Decimal | None] = mapped_column(Numeric(18, 8))
    per_unit: Mapped[Decimal | None] = mapped_column(Numeric(18, 10))
    source: Mapped[str] = mapped_column(Text)
    verified: Mapped[bool] = mapped_column(Boolean, server_default=text("false"))
    created_by: Mapped[str] = mapped_column(Text, server_default="seed")
