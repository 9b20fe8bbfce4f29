"""The audit: SQL that anyone can run against the database, and what it must find.

Queries whose rows are `differences` return nothing in a sound database, at every commit.
`docs/cost-audit.md` shows the same text; a test keeps the two alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from callsheet.db.transaction import Database

MESSAGE_AGAINST_LEDGER: Final = """\
SELECT m.session_id, m.seq, m.cost, l.cost AS ledger_cost,
       m.input_tokens, l.input_tokens AS ledger_input_tokens,
       m.output_tokens, l.output_tokens AS ledger_output_tokens
FROM messages m
CROSS JOIN LATERAL (
  SELECT round(coalesce(sum(c.cost_exact), 0), 6) AS cost,
         coalesce(sum(c.input_tokens), 0) AS input_tokens,
         coalesce(sum(c.output_tokens), 0) AS output_tokens
  FROM llm_calls c WHERE c.message_id = m.id AND c.status <> 'open'
) l
WHERE (m.cost, m.input_tokens, m.output_tokens)
      IS DISTINCT FROM (l.cost, l.input_tokens, l.output_tokens)
ORDER BY m.session_id, m.seq;
"""

SESSION_AGAINST_MESSAGES: Final = """\
SELECT s.id AS session_id, s.total_cost, k.cost AS messages_cost,
       s.total_tokens, k.tokens AS messages_tokens,
       s.message_count, k.present AS messages_present, k.currencies
FROM sessions s
CROSS JOIN LATERAL (
  SELECT coalesce(sum(m.cost), 0) AS cost,
         coalesce(sum(m.input_tokens + m.output_tokens), 0) AS tokens,
         count(*) FILTER (WHERE m.deleted_at IS NULL) AS present,
         count(DISTINCT m.currency) AS currencies
  FROM messages m WHERE m.session_id = s.id
) k
WHERE (s.total_cost, s.total_tokens, s.message_count)
      IS DISTINCT FROM (k.cost, k.tokens, k.present)
   OR k.currencies > 1
ORDER BY s.id;
"""

CALL_AGAINST_PRICE: Final = """\
SELECT c.id AS call_id, c.factory, c.model_code, c.cost_exact, round(x.cost, 12) AS repriced
FROM llm_calls c
LEFT JOIN llm_prices p ON p.id = c.price_id
CROSS JOIN LATERAL (
  SELECT (
    (c.input_tokens - c.cached_tokens - c.cache_write_tokens) * p.input_per_million
    + c.cached_tokens * CASE
        WHEN c.raw_usage #>> '{prompt_tokens_details,cache_type}' = 'ephemeral'
        THEN coalesce(p.explicit_cached_per_million, p.cached_per_million, p.input_per_million)
        ELSE coalesce(p.cached_per_million, p.input_per_million) END
    + c.cache_write_tokens * coalesce(p.cache_write_per_million, p.input_per_million)
    + (c.output_tokens - c.reasoning_tokens) * p.output_per_million
    + c.reasoning_tokens * coalesce(p.reasoning_per_million, p.output_per_million)
  ) / 1000000 * c.fx_rate AS cost
) x
WHERE c.status <> 'open' AND coalesce(p.unit, 'token') = 'token'
  AND c.cost_exact IS DISTINCT FROM round(x.cost, 12)
ORDER BY c.started_at, c.id;
"""

SPEND_BY_DAY: Final = """\
SELECT (c.settled_at AT TIME ZONE 'UTC')::date AS day, c.factory, c.model_code, c.currency,
       count(*) AS calls, sum(c.input_tokens) AS input_tokens, sum(c.cached_tokens) AS cached,
       round(100.0 * sum(c.cached_tokens) / nullif(sum(c.input_tokens), 0), 1) AS cached_percent,
       sum(c.output_tokens) AS output_tokens, sum(c.reasoning_tokens) AS reasoning,
       round(sum(c.cost_exact), 6) AS cost
FROM llm_calls c
WHERE c.status <> 'open'
GROUP BY 1, 2, 3, 4
ORDER BY 1, cost DESC, 2, 3;
"""

UNCERTAIN_CALLS: Final = """\
SELECT c.factory, c.model_code, c.status, c.usage_source, count(*) AS calls,
       round(sum(c.cost_exact), 6) AS cost,
       sum(c.reserved_cost) FILTER (WHERE c.status = 'open') AS reserved,
       min(c.started_at) AS oldest
FROM llm_calls c
WHERE c.usage_source IS DISTINCT FROM 'provider'
   OR c.status IN ('open', 'orphaned', 'aborted')
GROUP BY 1, 2, 3, 4
ORDER BY calls DESC, 1, 2, 3;
"""

TOP_SPENDERS: Final = """\
SELECT u.name AS "user", count(*) AS calls,
       sum(c.input_tokens + c.output_tokens) AS tokens, round(sum(c.cost_exact), 6) AS cost
FROM llm_calls c
JOIN users u ON u.id = c.user_id
WHERE c.started_at >= date_trunc('day', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC'
GROUP BY u.name
ORDER BY cost DESC, tokens DESC
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
GROUP BY 1, 2, 3
ORDER BY cost DESC, 1, 2, 3;
"""

PRICE_OUT_OF_PLACE: Final = """\
SELECT c.id AS call_id, c.factory, c.model_code, c.started_at, p.effective,
       c.input_tokens, p.tier_min_input, p.tier_max_input
FROM llm_calls c
LEFT JOIN llm_prices p ON p.id = c.price_id
WHERE c.status <> 'open' AND (
     p.id IS NULL
  OR (p.factory, p.model_code) IS DISTINCT FROM (c.factory, c.model_code)
  OR NOT p.effective @> c.started_at
  OR (c.input_tokens > 0 AND c.input_tokens <= p.tier_min_input)
  OR c.input_tokens > p.tier_max_input)
ORDER BY c.started_at, c.id;
"""


@dataclass(frozen=True, slots=True)
class AuditQuery:
    """One query. `differences`: each row it returns is a fault; `report`: something to read."""

    number: int
    title: str
    sql: str
    kind: Literal["differences", "report"]


@dataclass(frozen=True, slots=True)
class AuditResult:
    """What a query returned."""

    query: AuditQuery
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]


QUERIES: Final = (
    AuditQuery(1, "Each message against its ledger rows", MESSAGE_AGAINST_LEDGER, "differences"),
    AuditQuery(2, "Each session against its messages", SESSION_AGAINST_MESSAGES, "differences"),
    AuditQuery(
        3, "Each call priced again from its own price row", CALL_AGAINST_PRICE, "differences"
    ),
    AuditQuery(4, "Spend by day, factory and model", SPEND_BY_DAY, "report"),
    AuditQuery(5, "What is not certain: estimated, open, cut", UNCERTAIN_CALLS, "report"),
    AuditQuery(6, "Top spenders of today", TOP_SPENDERS, "report"),
    AuditQuery(
        7, "Cost by purpose, stage and agent, and what was wasted", COST_BY_PURPOSE, "report"
    ),
    AuditQuery(
        8, "Prices used outside their model, dates or tier", PRICE_OUT_OF_PLACE, "differences"
    ),
)


async def run_audit(
    database: Database, queries: Sequence[AuditQuery] = QUERIES
) -> tuple[AuditResult, ...]:
    """What the queries return, all on one snapshot, so that a turn under way is no difference."""
    results: list[AuditResult] = []
    async with database.read() as connection:
        for query in queries:
            found = await connection.exec_driver_sql(query.sql)
            rows = tuple(tuple(row) for row in found)
            results.append(AuditResult(query, tuple(found.keys()), rows))
    return tuple(results)
