"""Budgets, rates, windows of prices, keys, corrections; how each call was measured."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "20261201_money"
down_revision = "20261130_ledger"
branch_labels = None
depends_on = None

_COUNTS = "least(input_tokens, cached_tokens, cache_write_tokens, output_tokens, reasoning_tokens, "
_NOT_NEGATIVE = f"{_COUNTS}reserved_tokens, cost_native, cost_exact, reserved_cost) >= 0"
_NOT_NEGATIVE_BEFORE = f"{_COUNTS}cost_native, cost_exact, reserved_cost) >= 0"
_CALL_CHECKS = {
    "cache_type": "cache_type IN ('implicit', 'explicit')",
    "usage_method": "usage_source IS DISTINCT FROM 'estimated' OR usage_method IS NOT NULL",
    "units": "units >= 0",
    "unpriced": "price_id IS NOT NULL OR (unpriced AND cost_exact = 0)",
}

# A used price may be closed, and a closed one may be closed earlier, while no call that it priced
# falls out of it: a price can be announced and then be overtaken by another.
_FROZEN = """
CREATE OR REPLACE FUNCTION refuse_change_of_used_price() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM llm_calls WHERE price_id = OLD.id) THEN
        RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
    END IF;
    IF TG_OP = 'UPDATE'
        AND to_jsonb(NEW) - '{effective,verified}'::text[]
            = to_jsonb(OLD) - '{effective,verified}'::text[]
        AND (NEW.effective = OLD.effective OR %s)
        AND lower(NEW.effective) IS NOT DISTINCT FROM lower(OLD.effective)
        AND lower_inc(NEW.effective) = lower_inc(OLD.effective)
    THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'price %% was used: close it and add a new one', OLD.id
        USING ERRCODE = 'restrict_violation';
END $$
"""
_CLOSED_BEFORE = _FROZEN % "upper_inf(OLD.effective)"
_CLOSED_LATER = _FROZEN % (
    "NEW.effective <@ OLD.effective AND NOT EXISTS (SELECT 1 FROM llm_calls"
    " WHERE price_id = OLD.id AND NOT NEW.effective @> started_at)"
)
_WINDOW_FROZEN = """
CREATE FUNCTION refuse_change_of_used_window() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    used text;
BEGIN
    SELECT p.window_code INTO used FROM llm_prices p
    WHERE p.window_code IN (CASE WHEN TG_OP <> 'INSERT' THEN OLD.code END,
                            CASE WHEN TG_OP <> 'DELETE' THEN NEW.code END)
        AND EXISTS (SELECT 1 FROM llm_calls c WHERE c.price_id = p.id) LIMIT 1;
    IF used IS NULL THEN
        RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
    END IF;
    RAISE EXCEPTION 'the window % was used: make one with another code', used
        USING ERRCODE = 'restrict_violation';
END $$
"""
_WINDOW_FROZEN_TRIGGER = (
    "CREATE TRIGGER trg_price_windows_frozen BEFORE INSERT OR UPDATE OR DELETE ON price_windows"
    " FOR EACH ROW EXECUTE FUNCTION refuse_change_of_used_window()"
)


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    op.create_table(
        "budget_counters",
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("scope_id", sa.Text(), nullable=False),
        sa.Column("period", sa.Text(), nullable=False),
        sa.Column("period_start", sa.DateTime(timezone=True), nullable=False),
        sa.Column("calls", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("tokens", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column(
            "cost", sa.Numeric(precision=24, scale=12), server_default=sa.text("0"), nullable=False
        ),
        sa.Column("reserved_tokens", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column(
            "reserved_cost",
            sa.Numeric(precision=24, scale=12),
            server_default=sa.text("0"),
            nullable=False,
        ),
        sa.Column(
            "updated_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.CheckConstraint("period IN ('day', 'month')", name=op.f("ck_budget_counters_period")),
        sa.CheckConstraint(
            "scope IN ('deployment', 'user')", name=op.f("ck_budget_counters_scope")
        ),
        sa.CheckConstraint(
            "least(calls, tokens, reserved_tokens) >= 0 AND least(cost, reserved_cost) >= 0",
            name=op.f("ck_budget_counters_not_negative"),
        ),
        sa.PrimaryKeyConstraint(
            "scope", "scope_id", "period", "period_start", name=op.f("pk_budget_counters")
        ),
    )
    op.create_table(
        "fx_rates",
        sa.Column("id", sa.Uuid(), server_default=sa.text("gen_random_uuid()"), nullable=False),
        sa.Column("base", sa.CHAR(length=3), nullable=False),
        sa.Column("quote", sa.CHAR(length=3), nullable=False),
        sa.Column("rate", sa.Numeric(precision=20, scale=10), nullable=False),
        sa.Column("valid_from", sa.DateTime(timezone=True), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.CheckConstraint("base <> quote", name=op.f("ck_fx_rates_pair")),
        sa.CheckConstraint("rate > 0", name=op.f("ck_fx_rates_rate")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_fx_rates")),
        sa.UniqueConstraint(
            "base", "quote", "valid_from", name=op.f("uq_fx_rates_base_quote_valid_from")
        ),
    )
    op.create_table(
        "price_windows",
        sa.Column("id", sa.Uuid(), server_default=sa.text("gen_random_uuid()"), nullable=False),
        sa.Column("code", sa.Text(), nullable=False),
        sa.Column("timezone", sa.Text(), nullable=False),
        sa.Column("weekdays", postgresql.ARRAY(sa.Integer()), nullable=False),
        sa.Column("from_time", sa.Time(), nullable=False),
        sa.Column("to_time", sa.Time(), nullable=False),
        sa.CheckConstraint("code <> 'any'", name=op.f("ck_price_windows_code")),
        sa.CheckConstraint(
            "cardinality(weekdays) > 0 AND weekdays <@ ARRAY[1, 2, 3, 4, 5, 6, 7]",
            name=op.f("ck_price_windows_weekdays"),
        ),
        sa.CheckConstraint(
            "from_time = date_trunc('minute', from_time) "
            "AND to_time = date_trunc('minute', to_time)",
            name=op.f("ck_price_windows_minutes"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_price_windows")),
    )
    op.create_index(op.f("idx_price_windows_code"), "price_windows", ["code"], unique=False)
    op.create_table(
        "rate_windows",
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("scope_id", sa.Text(), nullable=False),
        sa.Column("window_start", sa.DateTime(timezone=True), nullable=False),
        sa.Column("requests", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("tokens", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.CheckConstraint("scope IN ('provider', 'user')", name=op.f("ck_rate_windows_scope")),
        sa.CheckConstraint(
            "requests >= 0 AND tokens >= 0", name=op.f("ck_rate_windows_not_negative")
        ),
        sa.PrimaryKeyConstraint("scope", "scope_id", "window_start", name=op.f("pk_rate_windows")),
    )
    op.create_table(
        "api_keys",
        sa.Column("id", sa.Uuid(), server_default=sa.text("gen_random_uuid()"), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("label", sa.String(length=100), nullable=False),
        sa.Column("prefix", sa.String(length=20), nullable=False),
        sa.Column("hash", sa.LargeBinary(), nullable=False),
        sa.Column("scopes", postgresql.ARRAY(sa.Text()), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_used_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_api_keys_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_api_keys")),
        sa.UniqueConstraint("hash", name=op.f("uq_api_keys_hash")),
    )
    op.create_index(op.f("idx_api_keys_user_id"), "api_keys", ["user_id"], unique=False)
    op.create_table(
        "usage_refusals",
        sa.Column("id", sa.Uuid(), server_default=sa.text("gen_random_uuid()"), nullable=False),
        sa.Column(
            "at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False
        ),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("run_id", sa.Uuid(), nullable=True),
        sa.Column("call_id", sa.Uuid(), nullable=True),
        sa.Column("code", sa.Text(), nullable=False),
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("detail", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_usage_refusals_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_usage_refusals")),
    )
    op.create_index("idx_usage_refusals_user", "usage_refusals", ["user_id", "at"], unique=False)
    op.create_table(
        "user_quotas",
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("limits", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("updated_by", sa.Text(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.Column(
            "updated_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_user_quotas_user_id")),
        sa.PrimaryKeyConstraint("user_id", name=op.f("pk_user_quotas")),
    )
    op.create_table(
        "cost_adjustments",
        sa.Column("id", sa.Uuid(), server_default=sa.text("gen_random_uuid()"), nullable=False),
        sa.Column("call_id", sa.Uuid(), nullable=True),
        sa.Column("day", sa.Date(), nullable=True),
        sa.Column("factory", sa.String(length=50), nullable=False),
        sa.Column("model_code", sa.String(length=50), nullable=True),
        sa.Column("amount", sa.Numeric(precision=20, scale=12), nullable=False),
        sa.Column("currency", sa.CHAR(length=3), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("reference", sa.Text(), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.CheckConstraint("amount <> 0", name=op.f("ck_cost_adjustments_amount")),
        sa.CheckConstraint(
            "call_id IS NOT NULL OR day IS NOT NULL", name=op.f("ck_cost_adjustments_subject")
        ),
        sa.ForeignKeyConstraint(
            ["call_id"], ["llm_calls.id"], name=op.f("fk_cost_adjustments_call_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_cost_adjustments")),
        sa.UniqueConstraint("reference", name=op.f("uq_cost_adjustments_reference")),
    )
    op.create_index(
        "idx_cost_adjustments_day", "cost_adjustments", ["day", "factory"], unique=False
    )
    op.add_column("llm_calls", sa.Column("tool", sa.String(length=100), nullable=True))
    op.add_column(
        "llm_calls",
        sa.Column("unpriced", sa.Boolean(), server_default=sa.text("false"), nullable=False),
    )
    op.add_column("llm_calls", sa.Column("usage_method", sa.Text(), nullable=True))
    op.add_column("llm_calls", sa.Column("cache_type", sa.Text(), nullable=True))
    op.add_column(
        "llm_calls",
        sa.Column(
            "units", sa.Numeric(precision=18, scale=6), server_default=sa.text("0"), nullable=False
        ),
    )
    op.add_column(
        "llm_calls",
        sa.Column("reserved_tokens", sa.Integer(), server_default=sa.text("0"), nullable=False),
    )
    op.alter_column("llm_calls", "price_id", existing_type=sa.UUID(), nullable=True)
    op.create_index("idx_llm_calls_price", "llm_calls", ["price_id"], unique=False)
    op.create_index("idx_llm_calls_started", "llm_calls", ["started_at"], unique=False)
    op.create_index("idx_llm_calls_user", "llm_calls", ["user_id", "started_at"], unique=False)
    op.execute("UPDATE llm_calls SET usage_method = 'unknown' WHERE usage_source = 'estimated'")
    op.execute(
        "UPDATE llm_calls SET cache_type = 'explicit' "
        "WHERE raw_usage #>> '{prompt_tokens_details,cache_type}' = 'ephemeral'"
    )
    op.drop_constraint(op.f("ck_llm_calls_not_negative"), "llm_calls")
    op.create_check_constraint(op.f("ck_llm_calls_not_negative"), "llm_calls", _NOT_NEGATIVE)
    for name, rule in _CALL_CHECKS.items():
        op.create_check_constraint(op.f(f"ck_llm_calls_{name}"), "llm_calls", rule)
    op.execute(_CLOSED_LATER)
    op.execute(_WINDOW_FROZEN)
    op.execute(_WINDOW_FROZEN_TRIGGER)
    op.drop_constraint(op.f("ck_llm_prices_window_code"), "llm_prices")
    op.create_check_constraint(
        op.f("ck_llm_prices_per_unit"), "llm_prices", "(unit = 'token') = (per_unit IS NULL)"
    )


def downgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    op.drop_constraint(op.f("ck_llm_prices_per_unit"), "llm_prices")
    op.create_check_constraint(
        op.f("ck_llm_prices_window_code"),
        "llm_prices",
        "window_code IN ('any', 'peak', 'offpeak')",
    )
    for name in _CALL_CHECKS:
        op.drop_constraint(op.f(f"ck_llm_calls_{name}"), "llm_calls")
    op.drop_constraint(op.f("ck_llm_calls_not_negative"), "llm_calls")
    op.create_check_constraint(op.f("ck_llm_calls_not_negative"), "llm_calls", _NOT_NEGATIVE_BEFORE)
    op.drop_index("idx_llm_calls_user", table_name="llm_calls")
    op.drop_index("idx_llm_calls_started", table_name="llm_calls")
    op.drop_index("idx_llm_calls_price", table_name="llm_calls")
    op.alter_column("llm_calls", "price_id", existing_type=sa.UUID(), nullable=False)
    op.drop_column("llm_calls", "reserved_tokens")
    op.drop_column("llm_calls", "units")
    op.drop_column("llm_calls", "cache_type")
    op.drop_column("llm_calls", "usage_method")
    op.drop_column("llm_calls", "unpriced")
    op.drop_column("llm_calls", "tool")
    op.drop_index("idx_cost_adjustments_day", table_name="cost_adjustments")
    op.drop_table("cost_adjustments")
    op.drop_table("user_quotas")
    op.drop_index("idx_usage_refusals_user", table_name="usage_refusals")
    op.drop_table("usage_refusals")
    op.drop_index(op.f("idx_api_keys_user_id"), table_name="api_keys")
    op.drop_table("api_keys")
    op.drop_table("rate_windows")
    op.drop_index(op.f("idx_price_windows_code"), table_name="price_windows")
    op.drop_table("price_windows")
    op.execute("DROP FUNCTION refuse_change_of_used_window()")
    op.execute(_CLOSED_BEFORE)
    op.drop_table("fx_rates")
    op.drop_table("budget_counters")
