"""The only writer of tokens, cost and totals.

Runs on the journal's connection, in the transaction that stores the events of the same calls,
with the sessions locked by the caller.
"""

from __future__ import annotations

from collections.abc import Sequence

from callsheet.db.joined import Statements
from callsheet.ledger.call import OpenedCall, SettledCall

_LOCK_COUNTERS = "SELECT pg_advisory_xact_lock(7206305816001)"

# The periods in which a call counts, by when it started.
_PERIODS = """(VALUES
    ('deployment', '', 'day', date_trunc('day', {started_at}, {zone})),
    ('deployment', '', 'month', date_trunc('month', {started_at}, {zone})),
    ('user', {user_id}::text, 'day', date_trunc('day', {started_at}, {zone})),
    ('user', {user_id}::text, 'month', date_trunc('month', {started_at}, {zone}))
  ) AS k(scope, scope_id, period, period_start)"""

_OPEN = f"""
WITH opened AS (
  INSERT INTO llm_calls (id, idempotency_key, run_id, session_id, user_id, message_id, purpose,
                         stage, agent, tool, attempt, factory, model_code, price_id, unpriced,
                         price_currency, fx_rate, currency, reserved_cost, reserved_tokens,
                         started_at)
  SELECT o.id, concat_ws(':', o.run_id, o.id), o.run_id, o.session_id, o.user_id,
         o.message_id, o.purpose,
         o.stage, o.agent, o.tool, o.attempt, o.factory, o.model_code, o.price_id,
         o.price_id IS NULL, o.price_currency, o.fx_rate, o.currency, o.reserved_cost,
         o.reserved_tokens, o.started_at
  FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::uuid[], $6::text[], $7::text[],
              $8::text[], $9::text[], $10::int[], $11::text[], $12::text[], $13::uuid[],
              $14::text[], $15::numeric[], $16::text[], $17::numeric[], $18::int[],
              $19::timestamptz[])
    AS o(id, run_id, session_id, user_id, message_id, purpose, stage, agent, tool, attempt,
         factory, model_code, price_id, price_currency, fx_rate, currency, reserved_cost,
         reserved_tokens, started_at)
  ON CONFLICT DO NOTHING
  RETURNING user_id, started_at, reserved_tokens, reserved_cost
)
INSERT INTO budget_counters AS b (scope, scope_id, period, period_start, calls, reserved_tokens,
                                  reserved_cost)
SELECT k.scope, k.scope_id, k.period, k.period_start, count(*), sum(o.reserved_tokens),
       sum(o.reserved_cost)
FROM opened o CROSS JOIN LATERAL {
    _PERIODS.format(started_at="o.started_at", user_id="o.user_id", zone="$20::text")
}
GROUP BY 1, 2, 3, 4
ORDER BY 1, 2, 3, 4
ON CONFLICT (scope, scope_id, period, period_start) DO UPDATE
SET calls = b.calls + excluded.calls, updated_at = now(),
    reserved_tokens = b.reserved_tokens + excluded.reserved_tokens,
    reserved_cost = b.reserved_cost + excluded.reserved_cost
"""  # noqa: S608 - our own text, not a value

_SETTLE = f"""
WITH given AS (
  SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::int[], $6::int[],
              $7::int[], $8::int[], $9::int[], $10::numeric[], $11::numeric[], $12::timestamptz[],
              $13::text[], $14::text[], $15::text[], $16::text[], $17::uuid[], $18::text[],
              $19::text[], $20::numeric[])
    AS s(id, status, usage_source, raw_usage, input_tokens, cached_tokens, cache_write_tokens,
         output_tokens, reasoning_tokens, cost_native, cost_exact, first_token_at, finish_reason,
         error_code, upstream_id, response_model, price_id, usage_method, cache_type, units)
), held AS (
  SELECT c.id, c.reserved_tokens, c.reserved_cost
  FROM llm_calls c WHERE c.id = ANY($1) AND c.status = 'open' ORDER BY c.id FOR NO KEY UPDATE
), settled AS (
  UPDATE llm_calls c
  SET status = s.status, usage_source = s.usage_source, raw_usage = s.raw_usage::jsonb,
      input_tokens = s.input_tokens, cached_tokens = s.cached_tokens,
      cache_write_tokens = s.cache_write_tokens, output_tokens = s.output_tokens,
      reasoning_tokens = s.reasoning_tokens, cost_native = s.cost_native,
      cost_exact = s.cost_exact, reserved_cost = 0, reserved_tokens = 0,
      price_id = coalesce(s.price_id, c.price_id), usage_method = s.usage_method,
      cache_type = s.cache_type, units = s.units, first_token_at = s.first_token_at,
      finish_reason = s.finish_reason, error_code = s.error_code, upstream_id = s.upstream_id,
      response_model = s.response_model, settled_at = now()
  FROM given s JOIN held h USING (id)
  WHERE c.id = s.id AND c.status = 'open'
  RETURNING c.user_id, c.started_at, c.input_tokens + c.output_tokens AS tokens, c.cost_exact,
            h.reserved_tokens, h.reserved_cost
), moved AS (
  SELECT k.scope, k.scope_id, k.period, k.period_start, sum(s.tokens) AS tokens,
         sum(s.cost_exact) AS cost, sum(s.reserved_tokens) AS reserved_tokens,
         sum(s.reserved_cost) AS reserved_cost
  FROM settled s CROSS JOIN LATERAL {
    _PERIODS.format(started_at="s.started_at", user_id="s.user_id", zone="$21::text")
}
  GROUP BY 1, 2, 3, 4
)
UPDATE budget_counters b
SET tokens = b.tokens + m.tokens, cost = b.cost + m.cost,
    reserved_tokens = greatest(b.reserved_tokens - m.reserved_tokens, 0),
    reserved_cost = greatest(b.reserved_cost - m.reserved_cost, 0), updated_at = now()
FROM moved m
WHERE (b.scope, b.scope_id, b.period, b.period_start)
      = (m.scope, m.scope_id, m.period, m.period_start)
"""  # noqa: S608 - our own text, not a value

_TOTALS = """
WITH sums AS (
  SELECT message_id AS id, sum(input_tokens) AS input_tokens, sum(output_tokens) AS output_tokens,
         round(sum(cost_exact), 6) AS cost
  FROM llm_calls WHERE message_id = ANY($1::uuid[]) AND status <> 'open' GROUP BY message_id
), before AS (
  SELECT m.id, m.session_id, m.input_tokens, m.output_tokens, m.cost
  FROM messages m JOIN sums USING (id)
), booked AS (
  UPDATE messages m
  SET input_tokens = s.input_tokens, output_tokens = s.output_tokens, cost = s.cost,
      latency_ms = CASE m.role WHEN 'tool' THEN m.latency_ms  -- how long the tool took, not a model
                   ELSE coalesce(l.latency_ms, m.latency_ms) END, updated_at = now()
  FROM sums s LEFT JOIN unnest($1::uuid[], $2::int[]) AS l(id, latency_ms) USING (id)
  WHERE m.id = s.id
)
UPDATE sessions t
SET total_tokens = t.total_tokens + d.tokens, total_cost = t.total_cost + d.cost,
    updated_at = now()
FROM (
  SELECT b.session_id,
         sum(s.input_tokens + s.output_tokens - b.input_tokens - b.output_tokens) AS tokens,
         sum(s.cost - b.cost) AS cost
  FROM before b JOIN sums s USING (id) GROUP BY b.session_id
) d
WHERE t.id = d.session_id
"""


async def lock_counters(tx: Statements) -> None:
    """Wait for whoever moves counters now; held until the transaction ends.

    A batch opens and settles calls of several users and days, whose rows could otherwise be
    locked in two orders. Sessions are always locked before.
    """
    await tx.execute(_LOCK_COUNTERS)


async def open_calls(tx: Statements, calls: Sequence[OpenedCall], zone: str) -> None:
    """Open the rows and hold their estimates; a row that stands there already is left alone.

    Days and months of the counters are those of `zone`.
    """
    await tx.execute(
        _OPEN,
        [c.id for c in calls],
        [c.run_id for c in calls],
        [c.session_id for c in calls],
        [c.user_id for c in calls],
        [c.message_id for c in calls],
        [c.purpose for c in calls],
        [c.stage for c in calls],
        [c.agent for c in calls],
        [c.tool for c in calls],
        [c.attempt for c in calls],
        [c.factory for c in calls],
        [c.model_code for c in calls],
        [c.price_id for c in calls],
        [c.price_currency for c in calls],
        [c.fx_rate for c in calls],
        [c.currency for c in calls],
        [c.reserved_cost for c in calls],
        [c.reserved_tokens for c in calls],
        [c.started_at for c in calls],
        zone,
    )


async def settle_calls(tx: Statements, calls: Sequence[SettledCall], zone: str) -> None:
    """Settle rows that are open, and bring counters, messages and sessions up to date.

    A row that is settled already stays as it is; the totals are recomputed from the rows, so
    that repeating the write changes nothing. A counter that never held what is given back, because
    the call was opened by the days of another zone, ends at nothing: it keeps no row from being
    settled, and the audit tells it.
    """
    await tx.execute(
        _SETTLE,
        [c.id for c in calls],
        [c.status for c in calls],
        [c.metered.source for c in calls],
        [c.raw_usage for c in calls],
        [c.metered.usage.input_tokens for c in calls],
        [c.metered.usage.cached_tokens for c in calls],
        [c.metered.usage.cache_write_tokens for c in calls],
        [c.metered.usage.output_tokens for c in calls],
        [c.metered.usage.reasoning_tokens for c in calls],
        [c.cost_native for c in calls],
        [c.cost_exact for c in calls],
        [c.first_token_at for c in calls],
        [c.finish_reason for c in calls],
        [c.error_code for c in calls],
        [c.upstream_id for c in calls],
        [c.response_model for c in calls],
        [c.price_id for c in calls],
        [c.metered.method for c in calls],
        [c.metered.cache_type for c in calls],
        [c.metered.units for c in calls],
        zone,
    )
    latest = {c.message_id: c.latency_ms for c in calls if c.message_id is not None}
    await tx.execute(_TOTALS, list(latest), list(latest.values()))
