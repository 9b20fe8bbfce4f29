"""Reports: what was spent, on what, and how sure that is. They look at the last 31 days."""

from __future__ import annotations

from typing import Final

SPEND_BY_DAY: Final = """\
SELECT v.day, v.factory, v.model_code, v.currency, v.calls, v.input_tokens,
       v.cached_tokens AS cached,
       round(100.0 * v.cached_tokens / nullif(v.input_tokens, 0), 1) AS cached_percent,
       v.output_tokens, v.reasoning_tokens AS reasoning, round(v.cost, 6) AS cost
FROM v_cost_by_day_model v
WHERE v.day > (now() AT TIME ZONE 'UTC')::date - 31
ORDER BY v.day, v.cost DESC NULLS LAST, v.factory, v.model_code;
"""

UNCERTAIN_CALLS: Final = """\
SELECT v.factory, v.model_code, v.status, v.usage_source, v.usage_method, count(*) AS calls,
       round(sum(v.cost), 6) AS cost,
       sum(v.reserved_cost) FILTER (WHERE v.status = 'open') AS reserved,
       min(v.started_at) AS oldest
FROM v_uncertain_calls v
WHERE v.day > (now() AT TIME ZONE 'UTC')::date - 31
GROUP BY 1, 2, 3, 4, 5
ORDER BY calls DESC, 1, 2, 3, 4, 5;
"""

TOP_SPENDERS: Final = """\
SELECT v.user_name AS "user", v.calls, v.input_tokens + v.output_tokens AS tokens,
       round(v.cost, 6) AS cost
FROM v_cost_by_user v
WHERE v.day = (now() AT TIME ZONE 'UTC')::date
ORDER BY v.cost DESC NULLS LAST, tokens DESC NULLS LAST, v.user_name
LIMIT 20;
"""

COST_BY_PURPOSE: Final = """\
SELECT c.purpose, c.stage, c.agent, count(*) AS calls,
       count(*) FILTER (WHERE c.attempt > 1) AS retries, round(sum(c.cost_exact), 6) AS cost,
       round(coalesce(sum(c.cost_exact) FILTER (
         WHERE c.attempt > 1 OR c.status IN ('failed', 'aborted', 'orphaned')), 0), 6) AS wasted,
       round(100 * sum(c.cost_exact) / nullif(sum(sum(c.cost_exact)) OVER (), 0), 2)
         AS share_percent
FROM llm_calls c
WHERE (c.started_at AT TIME ZONE 'UTC')::date > (now() AT TIME ZONE 'UTC')::date - 31
GROUP BY 1, 2, 3
ORDER BY cost DESC, 1, 2, 3;
"""

COST_BY_TOOL: Final = """\
SELECT v.tool, sum(v.calls) AS calls, sum(v.input_tokens + v.output_tokens) AS tokens,
       round(sum(v.cost), 6) AS cost, round(sum(v.cost) / sum(v.calls), 6) AS cost_per_call
FROM v_cost_by_tool v
WHERE v.day > (now() AT TIME ZONE 'UTC')::date - 31
GROUP BY v.tool
ORDER BY cost DESC NULLS LAST, v.tool;
"""

MONTH_BY_USER: Final = """\
SELECT date_trunc('month', v.day)::date AS month, v.user_name AS "user", v.currency,
       sum(v.calls) AS calls, sum(v.input_tokens + v.output_tokens) AS tokens,
       sum(v.unpriced_calls) AS unpriced, round(sum(v.cost), 6) AS cost
FROM v_cost_by_user v
WHERE v.day >= date_trunc('month', now() AT TIME ZONE 'UTC')::date
GROUP BY 1, 2, 3
ORDER BY 1, cost DESC NULLS LAST, 2;
"""

CACHE_SAVINGS: Final = """\
SELECT c.factory, c.model_code, p.currency, sum(c.cached_tokens) AS cached_tokens,
       round(sum(c.cached_tokens * (p.input_per_million - x.cached)) * 0.000001, 6) AS saved,
       round(sum(c.cache_write_tokens * (x.written - p.input_per_million)) * 0.000001, 6)
         AS paid_more_to_write
FROM llm_calls c
JOIN llm_prices p ON p.id = c.price_id AND p.unit = 'token'
CROSS JOIN LATERAL (
  SELECT CASE WHEN c.cache_type = 'explicit'
           THEN coalesce(p.explicit_cached_per_million, p.cached_per_million)
           ELSE p.cached_per_million END AS cached,
         coalesce(p.cache_write_per_million, p.input_per_million) AS written
) x
WHERE c.status <> 'open' AND c.cached_tokens + c.cache_write_tokens > 0
  AND (c.started_at AT TIME ZONE 'UTC')::date > (now() AT TIME ZONE 'UTC')::date - 31
GROUP BY 1, 2, 3
ORDER BY saved DESC, 1, 2;
"""

COST_WITH_LATENCY: Final = """\
SELECT c.factory, c.model_code, count(*) AS calls,
       round(sum(c.cost_exact) FILTER (WHERE NOT c.unpriced), 6) AS cost,
       round(avg(c.cost_exact) FILTER (WHERE NOT c.unpriced), 9) AS cost_per_call,
       round(percentile_cont(0.5) WITHIN GROUP (
         ORDER BY extract(epoch FROM c.first_token_at - c.started_at) * 1000))::bigint
         AS first_p50_ms,
       round(percentile_cont(0.5) WITHIN GROUP (
         ORDER BY extract(epoch FROM c.settled_at - c.started_at) * 1000))::bigint
         AS whole_p50_ms,
       round(percentile_cont(0.95) WITHIN GROUP (
         ORDER BY extract(epoch FROM c.settled_at - c.started_at) * 1000))::bigint
         AS whole_p95_ms
FROM llm_calls c
WHERE c.status = 'settled'
  AND (c.started_at AT TIME ZONE 'UTC')::date > (now() AT TIME ZONE 'UTC')::date - 31
GROUP BY 1, 2
ORDER BY cost DESC NULLS LAST, 1, 2;
"""

REFUSALS: Final = """\
SELECT v.day, v.user_name AS "user", v.code, v.scope, count(*) AS refused, max(v.at) AS last
FROM v_refusals v
WHERE v.day > (now() AT TIME ZONE 'UTC')::date - 31
GROUP BY 1, 2, 3, 4
ORDER BY 1, refused DESC, 2, 3, 4;
"""

CORRECTED_DAYS: Final = """\
SELECT v.day, v.factory, v.model_code, v.currency, round(v.ledger_cost, 6) AS ledger_cost,
       round(v.adjustment, 6) AS adjustment, round(v.adjusted_cost, 6) AS adjusted_cost
FROM v_adjusted_cost_by_day v
WHERE v.day > (now() AT TIME ZONE 'UTC')::date - 31 AND v.adjustment IS NOT NULL
ORDER BY v.day, v.factory, v.model_code;
"""

BUDGET_USE: Final = """\
SELECT v.period, v.period_start, v.scope, v.user_name AS "user", v.calls, v.tokens,
       round(v.cost, 6) AS cost, round(v.reserved_cost, 6) AS reserved, v.own_limits
FROM v_budget_use v
JOIN (SELECT b.period, max(b.period_start) AS last_start
      FROM budget_counters b WHERE b.scope = 'deployment' GROUP BY b.period) l
  ON l.period = v.period AND l.last_start = v.period_start
ORDER BY v.period, v.scope, v.cost DESC, v.user_name;
"""

UNPRICED_CALLS: Final = """\
SELECT v.factory, v.model_code, min(v.started_at) AS first, max(v.started_at) AS last,
       count(*) AS calls, sum(v.input_tokens + v.output_tokens) AS tokens
FROM v_uncertain_calls v
WHERE v.unpriced AND v.day > (now() AT TIME ZONE 'UTC')::date - 31
GROUP BY 1, 2
ORDER BY tokens DESC, 1, 2;
"""

UNVERIFIED_PRICES: Final = """\
SELECT v.factory, v.model_code, v.unit, v.currency, v.valid_from, v.valid_to, v.window_code,
       v.tier_min_input, v.input_per_million, v.output_per_million, v.per_unit, v.source
FROM v_price_history v
WHERE v.holds_now AND NOT v.verified
ORDER BY v.factory, v.model_code, v.unit, v.window_code, v.tier_min_input;
"""
