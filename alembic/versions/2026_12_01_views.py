# ruff: noqa: S608 - the text is put together from this file alone
"""Views and a function for auditors, and the indexes by day that make a month of them quick.

`docs/cost-data.md` says what each column is. A day is one of UTC, by the start of the call.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "20261201_views"
down_revision = "20261201_money"
branch_labels = None
depends_on = None

# The same expression as in the indexes, so that a filter on `day` is a filter on an index.
_DAY = "(c.started_at AT TIME ZONE 'UTC')::date"
_INDEXED = sa.text("((started_at AT TIME ZONE 'UTC')::date)")
_REFUSED = sa.text("((at AT TIME ZONE 'UTC')::date)")

# Calls that are open, and calls without a price, cost what nobody knows: NULL, not zero.
_SUMS = """
    count(*) AS calls,
    count(*) FILTER (WHERE c.status = 'open') AS open_calls,
    count(*) FILTER (WHERE c.usage_source = 'estimated') AS estimated_calls,
    count(*) FILTER (WHERE c.unpriced) AS unpriced_calls,
    sum(c.input_tokens) FILTER (WHERE c.status <> 'open') AS input_tokens,
    sum(c.cached_tokens) FILTER (WHERE c.status <> 'open') AS cached_tokens,
    sum(c.output_tokens) FILTER (WHERE c.status <> 'open') AS output_tokens,
    sum(c.cost_exact) FILTER (WHERE c.status <> 'open' AND NOT c.unpriced) AS cost
"""
_KNOWN_COST = "CASE WHEN c.status <> 'open' AND NOT c.unpriced THEN c.cost_exact END AS cost"


def _grouped(*columns: str, where: str = "true") -> str:
    """Calls by day, these columns and the currency."""
    keys = ", ".join(str(number) for number in range(1, len(columns) + 3))
    return (
        f"SELECT {_DAY} AS day, {', '.join(columns)}, c.currency, {_SUMS} "
        f"FROM llm_calls c WHERE {where} GROUP BY {keys}"
    )


_VIEWS = {
    "v_cost_by_day_model": f"""
SELECT {_DAY} AS day, c.factory, c.model_code, c.price_currency, c.currency, {_SUMS},
    sum(c.cache_write_tokens) FILTER (WHERE c.status <> 'open') AS cache_write_tokens,
    sum(c.reasoning_tokens) FILTER (WHERE c.status <> 'open') AS reasoning_tokens,
    sum(c.units) FILTER (WHERE c.status <> 'open') AS units,
    sum(c.cost_native) FILTER (WHERE c.status <> 'open' AND NOT c.unpriced) AS cost_native
FROM llm_calls c
GROUP BY 1, 2, 3, 4, 5""",
    "v_cost_by_stage": _grouped("c.stage"),
    "v_cost_by_agent": _grouped("c.stage", "c.agent"),
    "v_cost_by_tool": _grouped("c.tool", where="c.tool IS NOT NULL"),
    "v_cost_by_user": f"""
SELECT g.day, g.user_id, u.name AS user_name, g.currency, g.calls, g.open_calls, g.estimated_calls,
    g.unpriced_calls, g.input_tokens, g.cached_tokens, g.output_tokens, g.cost
FROM ({_grouped("c.user_id")}) g
JOIN users u ON u.id = g.user_id""",
    "v_cost_by_session": _grouped("c.session_id", "c.user_id"),
    "v_cost_by_purpose": _grouped("c.purpose"),
    "v_wasted_cost": _grouped(
        "CASE WHEN c.status IN ('failed', 'aborted', 'orphaned') THEN c.status "
        "ELSE 'retry' END AS reason",
        "c.purpose",
        "c.stage",
        "c.agent",
        where="c.status IN ('failed', 'aborted', 'orphaned') "
        "OR (c.status = 'settled' AND c.attempt > 1)",
    ),
    "v_uncertain_calls": f"""
SELECT c.id AS call_id, {_DAY} AS day, c.started_at, c.user_id, c.session_id, c.run_id,
    c.purpose, c.factory, c.model_code, c.status, c.usage_source, c.usage_method, c.unpriced,
    c.error_code, c.input_tokens, c.output_tokens, {_KNOWN_COST}, c.reserved_cost, c.currency
FROM llm_calls c
WHERE c.usage_source IS DISTINCT FROM 'provider'
    OR c.status IN ('open', 'aborted', 'orphaned') OR c.unpriced""",
    "v_open_reservations": f"""
SELECT c.id AS call_id, {_DAY} AS day, c.started_at, now() - c.started_at AS open_for,
    c.user_id, c.session_id, c.run_id, c.purpose, c.factory, c.model_code, c.attempt,
    c.reserved_tokens, c.reserved_cost, c.currency
FROM llm_calls c
WHERE c.status = 'open'""",
    "v_price_history": """
SELECT p.id AS price_id, p.factory, p.model_code, p.unit, p.currency,
    lower(p.effective) AS valid_from, upper(p.effective) AS valid_to,
    p.effective @> now() AS holds_now, p.window_code, p.tier_min_input, p.tier_max_input,
    p.input_per_million, p.cached_per_million, p.explicit_cached_per_million,
    p.cache_write_per_million, p.output_per_million, p.reasoning_per_million, p.per_unit,
    p.source, p.verified, p.created_by, p.created_at
FROM llm_prices p""",
    "v_budget_use": """
SELECT b.scope, b.scope_id, u.name AS user_name, b.period, b.period_start, b.calls, b.tokens,
    b.cost, b.reserved_tokens, b.reserved_cost, b.cost + b.reserved_cost AS committed_cost,
    q.limits AS own_limits, b.updated_at
FROM budget_counters b
LEFT JOIN users u ON b.scope = 'user' AND u.id::text = b.scope_id
LEFT JOIN user_quotas q ON q.user_id = u.id""",
    "v_refusals": """
SELECT r.id AS refusal_id, (r.at AT TIME ZONE 'UTC')::date AS day, r.at, r.user_id,
    u.name AS user_name, r.run_id, r.call_id, r.code, r.scope, r.detail
FROM usage_refusals r
JOIN users u ON u.id = r.user_id""",
    "v_adjusted_cost_by_day": f"""
SELECT day, factory, model_code, currency, sum(ledger_cost) AS ledger_cost,
    sum(adjustment) AS adjustment,
    sum(coalesce(ledger_cost, 0) + coalesce(adjustment, 0)) AS adjusted_cost
FROM (
    SELECT {_DAY} AS day, c.factory, c.model_code, c.currency, sum(c.cost_exact) AS ledger_cost,
        NULL::numeric AS adjustment
    FROM llm_calls c WHERE c.status <> 'open' AND NOT c.unpriced
    GROUP BY 1, 2, 3, 4
    UNION ALL
    SELECT coalesce({_DAY}, a.day), a.factory, coalesce(c.model_code, a.model_code), a.currency,
        NULL, a.amount
    FROM cost_adjustments a LEFT JOIN llm_calls c ON c.id = a.call_id
) AS parts
GROUP BY 1, 2, 3, 4""",
}

# A span whose end is not after its start reaches into the next day; 00:00 is the end of a day.
_WINDOW = """
CREATE FUNCTION price_window_holds(window_code text, moment timestamptz) RETURNS boolean
LANGUAGE sql STABLE AS $$
SELECT EXISTS (
    SELECT FROM price_windows w
    CROSS JOIN LATERAL (SELECT moment AT TIME ZONE w.timezone AS at) l
    CROSS JOIN LATERAL (
        SELECT l.at::time AS clock, extract(isodow FROM l.at)::int AS today,
            extract(isodow FROM l.at - interval '1 day')::int AS yesterday
    ) t
    WHERE w.code = window_code AND CASE
        WHEN w.from_time < w.to_time
            THEN t.today = ANY(w.weekdays) AND t.clock >= w.from_time AND t.clock < w.to_time
        ELSE (t.today = ANY(w.weekdays) AND t.clock >= w.from_time)
            OR (t.yesterday = ANY(w.weekdays) AND t.clock < w.to_time)
    END
)
$$
"""


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    op.create_index("idx_llm_calls_day", "llm_calls", [_INDEXED], unique=False)
    op.create_index("idx_usage_refusals_day", "usage_refusals", [_REFUSED], unique=False)
    op.execute(_WINDOW)
    for name, query in _VIEWS.items():
        op.execute(f"CREATE VIEW {name} AS {query}")


def downgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    for name in reversed(_VIEWS):
        op.execute(f"DROP VIEW {name}")
    op.execute("DROP FUNCTION price_window_holds")
    op.drop_index("idx_usage_refusals_day", table_name="usage_refusals")
    op.drop_index("idx_llm_calls_day", table_name="llm_calls")
