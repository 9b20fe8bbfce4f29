"""Dated prices and one row per model call."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "20261130_ledger"
down_revision = "20261130_runs"
branch_labels = None
depends_on = None

# A range of text makes equality of names part of an EXCLUDE constraint without an extension.
_TEXT_RANGE = 'CREATE TYPE text_range AS RANGE (subtype = text, collation = "C")'
_NO_OVERLAP = """
ALTER TABLE llm_prices ADD CONSTRAINT ex_llm_prices_overlap EXCLUDE USING gist (
    text_range(factory, factory, '[]') WITH &&,
    text_range(model_code, model_code, '[]') WITH &&,
    text_range(unit, unit, '[]') WITH &&,
    text_range(window_code, window_code, '[]') WITH &&,
    int8range(tier_min_input, tier_max_input, '(]') WITH &&,
    effective WITH &&
)
"""

# A price that a ledger row points at may only be closed, or marked as compared: it stays.
_FROZEN = """
CREATE FUNCTION refuse_change_of_used_price() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM llm_calls WHERE price_id = OLD.id) THEN
        RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
    END IF;
    IF TG_OP = 'UPDATE'
        AND to_jsonb(NEW) - '{effective,verified}'::text[]
            = to_jsonb(OLD) - '{effective,verified}'::text[]
        AND (NEW.effective = OLD.effective OR upper_inf(OLD.effective))
        AND lower(NEW.effective) IS NOT DISTINCT FROM lower(OLD.effective)
        AND lower_inc(NEW.effective) = lower_inc(OLD.effective)
    THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'price % was used: close it and add a new one', OLD.id
        USING ERRCODE = 'restrict_violation';
END $$
"""
_FROZEN_TRIGGER = (
    "CREATE TRIGGER trg_llm_prices_frozen BEFORE UPDATE OR DELETE ON llm_prices"
    " FOR EACH ROW EXECUTE FUNCTION refuse_change_of_used_price()"
)


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    op.execute(_TEXT_RANGE)
    op.create_table(
        "llm_prices",
        sa.Column("id", sa.Uuid(), server_default=sa.text("gen_random_uuid()"), nullable=False),
        sa.Column("factory", sa.String(length=50), nullable=False),
        sa.Column("model_code", sa.String(length=50), nullable=False),
        sa.Column("unit", sa.Text(), server_default="token", nullable=False),
        sa.Column("currency", sa.CHAR(length=3), nullable=False),
        sa.Column("tier_min_input", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("tier_max_input", sa.Integer(), nullable=True),
        sa.Column("window_code", sa.Text(), server_default="any", nullable=False),
        sa.Column("effective", postgresql.TSTZRANGE(), nullable=False),
        sa.Column(
            "input_per_million",
            sa.Numeric(precision=18, scale=8),
            server_default=sa.text("0"),
            nullable=False,
        ),
        sa.Column(
            "cached_per_million",
            sa.Numeric(precision=18, scale=8),
            server_default=sa.text("0"),
            nullable=False,
        ),
        sa.Column("explicit_cached_per_million", sa.Numeric(precision=18, scale=8), nullable=True),
        sa.Column("cache_write_per_million", sa.Numeric(precision=18, scale=8), nullable=True),
        sa.Column(
            "output_per_million",
            sa.Numeric(precision=18, scale=8),
            server_default=sa.text("0"),
            nullable=False,
        ),
        sa.Column("reasoning_per_million", sa.Numeric(precision=18, scale=8), nullable=True),
        sa.Column("per_unit", sa.Numeric(precision=18, scale=10), nullable=True),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("verified", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("created_by", sa.Text(), server_default="seed", nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.CheckConstraint(
            "unit IN ('token', 'second', 'character', 'image', 'request')",
            name=op.f("ck_llm_prices_unit"),
        ),
        sa.CheckConstraint(
            "window_code IN ('any', 'peak', 'offpeak')", name=op.f("ck_llm_prices_window_code")
        ),
        sa.CheckConstraint("NOT isempty(effective)", name=op.f("ck_llm_prices_effective")),
        sa.CheckConstraint(
            "least(input_per_million, cached_per_million, explicit_cached_per_million, "
            "cache_write_per_million, output_per_million, reasoning_per_million, per_unit) >= 0",
            name=op.f("ck_llm_prices_not_negative"),
        ),
        sa.CheckConstraint(
            "tier_min_input >= 0 AND (tier_max_input IS NULL OR tier_max_input > tier_min_input)",
            name=op.f("ck_llm_prices_tier"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_llm_prices")),
    )
    op.create_index("idx_llm_prices_model", "llm_prices", ["factory", "model_code"])
    op.execute(_NO_OVERLAP)
    op.create_table(
        "llm_calls",
        sa.Column("id", sa.Uuid(), server_default=sa.text("gen_random_uuid()"), nullable=False),
        sa.Column("idempotency_key", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Uuid(), nullable=True),
        sa.Column("session_id", sa.Uuid(), nullable=True),
        sa.Column("message_id", sa.Uuid(), nullable=True),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("purpose", sa.Text(), server_default="answer", nullable=False),
        sa.Column("stage", sa.Text(), nullable=True),
        sa.Column("agent", sa.Text(), nullable=True),
        sa.Column("attempt", sa.Integer(), server_default=sa.text("1"), nullable=False),
        sa.Column("factory", sa.String(length=50), nullable=False),
        sa.Column("model_code", sa.String(length=50), nullable=False),
        sa.Column("response_model", sa.Text(), nullable=True),
        sa.Column("price_id", sa.Uuid(), nullable=False),
        sa.Column("status", sa.Text(), server_default="open", nullable=False),
        sa.Column("usage_source", sa.Text(), nullable=True),
        sa.Column("upstream_id", sa.Text(), nullable=True),
        sa.Column("input_tokens", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("cached_tokens", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("cache_write_tokens", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("output_tokens", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("reasoning_tokens", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("price_currency", sa.CHAR(length=3), nullable=False),
        sa.Column(
            "cost_native",
            sa.Numeric(precision=20, scale=12),
            server_default=sa.text("0"),
            nullable=False,
        ),
        sa.Column("fx_rate", sa.Numeric(), server_default=sa.text("1"), nullable=False),
        sa.Column(
            "cost_exact",
            sa.Numeric(precision=20, scale=12),
            server_default=sa.text("0"),
            nullable=False,
        ),
        sa.Column("currency", sa.CHAR(length=3), nullable=False),
        sa.Column(
            "reserved_cost",
            sa.Numeric(precision=20, scale=12),
            server_default=sa.text("0"),
            nullable=False,
        ),
        sa.Column(
            "raw_usage", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=True
        ),
        sa.Column("error_code", sa.Text(), nullable=True),
        sa.Column("finish_reason", sa.Text(), nullable=True),
        sa.Column(
            "started_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.Column("first_token_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("settled_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "(status = 'open') = (settled_at IS NULL)", name=op.f("ck_llm_calls_settled_at")
        ),
        sa.CheckConstraint(
            "session_id IS NOT NULL OR purpose IN ('transcription', 'embedding', 'title')",
            name=op.f("ck_llm_calls_session"),
        ),
        sa.CheckConstraint(
            "status <> 'settled' OR message_id IS NOT NULL "
            "OR purpose IN ('transcription', 'embedding', 'title')",
            name=op.f("ck_llm_calls_message"),
        ),
        sa.CheckConstraint(
            "status = 'open' OR usage_source IS NOT NULL", name=op.f("ck_llm_calls_settled_source")
        ),
        sa.CheckConstraint(
            "status IN ('open', 'settled', 'failed', 'aborted', 'orphaned')",
            name=op.f("ck_llm_calls_status"),
        ),
        sa.CheckConstraint(
            "usage_source IN ('provider', 'estimated', 'none')",
            name=op.f("ck_llm_calls_usage_source"),
        ),
        sa.CheckConstraint(
            "usage_source IS DISTINCT FROM 'provider' OR raw_usage IS NOT NULL",
            name=op.f("ck_llm_calls_raw_usage"),
        ),
        sa.CheckConstraint("attempt >= 1", name=op.f("ck_llm_calls_attempt")),
        sa.CheckConstraint(
            "cached_tokens + cache_write_tokens <= input_tokens",
            name=op.f("ck_llm_calls_input_parts"),
        ),
        sa.CheckConstraint("fx_rate > 0", name=op.f("ck_llm_calls_fx_rate")),
        sa.CheckConstraint(
            "least(input_tokens, cached_tokens, cache_write_tokens, output_tokens, "
            "reasoning_tokens, cost_native, cost_exact, reserved_cost) >= 0",
            name=op.f("ck_llm_calls_not_negative"),
        ),
        sa.CheckConstraint(
            "reasoning_tokens <= output_tokens", name=op.f("ck_llm_calls_output_parts")
        ),
        sa.ForeignKeyConstraint(
            ["message_id"], ["messages.id"], name=op.f("fk_llm_calls_message_id")
        ),
        sa.ForeignKeyConstraint(
            ["price_id"], ["llm_prices.id"], name=op.f("fk_llm_calls_price_id")
        ),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_llm_calls_run_id")),
        sa.ForeignKeyConstraint(
            ["session_id"], ["sessions.id"], name=op.f("fk_llm_calls_session_id")
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_llm_calls_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_llm_calls")),
        sa.UniqueConstraint("idempotency_key", name=op.f("uq_llm_calls_idempotency_key")),
    )
    op.create_index("idx_llm_calls_message", "llm_calls", ["message_id"])
    op.create_index(
        "idx_llm_calls_open",
        "llm_calls",
        ["started_at"],
        postgresql_where=sa.text("status = 'open'"),
    )
    op.create_index("idx_llm_calls_run", "llm_calls", ["run_id"])
    op.create_index("idx_llm_calls_session", "llm_calls", ["session_id", "started_at"])
    op.execute(_FROZEN)
    op.execute(_FROZEN_TRIGGER)


def downgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    op.drop_table("llm_calls")
    op.drop_table("llm_prices")
    op.execute("DROP FUNCTION refuse_change_of_used_price")
    op.execute("DROP TYPE text_range")
