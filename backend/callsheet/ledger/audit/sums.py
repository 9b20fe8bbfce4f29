"""Sums that have to equal their parts: messages, sessions, counters."""

from __future__ import annotations

from typing import Final

MESSAGE_AGAINST_LEDGER: Final = """\
SELECT m.session_id, m.seq, m.cost, l.cost AS ledger_cost,
       m.input_tokens, l.input_tokens AS ledger_input_tokens,
       m.output_tokens, l.output_tokens AS ledger_output_tokens
FROM messages m
LEFT JOIN (
  SELECT c.message_id, round(sum(c.cost_exact), 6) AS cost, sum(c.input_tokens) AS input_tokens,
         sum(c.output_tokens) AS output_tokens
  FROM llm_calls c WHERE c.status <> 'open' GROUP BY c.message_id
) l ON l.message_id = m.id
WHERE (m.cost, m.input_tokens, m.output_tokens) IS DISTINCT FROM
      (coalesce(l.cost, 0), coalesce(l.input_tokens, 0), coalesce(l.output_tokens, 0))
ORDER BY m.session_id, m.seq;
"""

SESSION_AGAINST_MESSAGES: Final = """\
SELECT s.id AS session_id, s.total_cost, k.cost AS messages_cost,
       s.total_tokens, k.tokens AS messages_tokens,
       s.message_count, k.present AS messages_present, k.stored, k.last_seq,
       k.first_currency, k.last_currency
FROM sessions s
LEFT JOIN (
  SELECT m.session_id, sum(m.cost) AS cost, sum(m.input_tokens + m.output_tokens) AS tokens,
         count(*) FILTER (WHERE m.deleted_at IS NULL) AS present,
         count(*) AS stored, max(m.seq) AS last_seq,
         min(m.currency) AS first_currency, max(m.currency) AS last_currency
  FROM messages m GROUP BY m.session_id
) k ON k.session_id = s.id
WHERE (s.total_cost, s.total_tokens, s.message_count)
      IS DISTINCT FROM (coalesce(k.cost, 0), coalesce(k.tokens, 0), coalesce(k.present, 0))
   OR k.stored <> k.last_seq
   OR k.first_currency <> k.last_currency
ORDER BY s.id;
"""

COUNTER_AGAINST_LEDGER: Final = """\
SELECT b.scope, b.scope_id, b.period, b.period_start, b.calls, l.calls AS ledger_calls,
       b.tokens, l.tokens AS ledger_tokens, b.cost, l.cost AS ledger_cost,
       b.reserved_tokens, l.reserved_tokens AS ledger_reserved_tokens,
       b.reserved_cost, l.reserved_cost AS ledger_reserved_cost, l.uncounted
FROM (
  SELECT n.*,
         n.period_start + CASE n.period WHEN 'day' THEN interval '25 hours'
                                        ELSE interval '745 hours' END AS latest_end,
         lead(n.period_start, 1, 'infinity') OVER (
           PARTITION BY n.scope, n.scope_id, n.period ORDER BY n.period_start) AS next_start,
         min(n.period_start) OVER (PARTITION BY n.period) AS first_start
  FROM budget_counters n
) b
CROSS JOIN LATERAL (
  SELECT count(*) AS calls,
         coalesce(sum(c.input_tokens + c.output_tokens), 0) AS tokens,
         coalesce(sum(c.cost_exact), 0) AS cost,
         coalesce(sum(c.reserved_tokens) FILTER (WHERE c.status = 'open'), 0) AS reserved_tokens,
         coalesce(sum(c.reserved_cost) FILTER (WHERE c.status = 'open'), 0) AS reserved_cost,
         count(*) FILTER (WHERE c.started_at >= b.latest_end) AS uncounted
  FROM (
    SELECT * FROM llm_calls d
    WHERE b.scope = 'deployment'
      AND d.started_at >= b.period_start AND d.started_at < b.next_start
    UNION ALL
    SELECT * FROM llm_calls o
    WHERE o.user_id = CASE WHEN b.scope = 'user' THEN b.scope_id::uuid END
      AND o.started_at >= b.period_start AND o.started_at < b.next_start
  ) c
) l
WHERE ((b.calls, b.tokens, b.cost, b.reserved_tokens, b.reserved_cost)
       IS DISTINCT FROM (l.calls, l.tokens, l.cost, l.reserved_tokens, l.reserved_cost)
       OR l.uncounted > 0)
  AND NOT (b.period_start = b.first_start
           AND (SELECT min(e.started_at) FROM llm_calls e) < b.first_start)
ORDER BY b.scope, b.scope_id, b.period, b.period_start;
"""
