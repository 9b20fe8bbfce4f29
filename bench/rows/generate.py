"""A ledger of any size, made by the database itself, in which every sum is right.

Twenty calls a session, four a turn: an intent, an execution with a second attempt or a tool's
call, an answer. Models with plain prices, tiers, an explicit cache, hours of the day, another
currency, units; calls that failed, were cut, were estimated, have no price, or are open. The same
`Size` gives the same rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import asyncpg

from bench.rows.prices import PRICES

CALLS_A_SESSION: Final = 20

_GIVEN: Final = (
    "CREATE TEMP TABLE given AS SELECT $1::int AS size, $2::int AS days, $3::timestamptz AS until"
)

# What a call is, from its number alone.
_DRAWN: Final = """
CREATE TEMP TABLE drawn AS
SELECT n, turn, turn / 5 AS session, part, started_at, purpose, model, status, usage_source,
       unpriced, tool, attempt,
       CASE WHEN status = 'failed' OR model = 'asr' OR status = 'open' THEN 0 ELSE input END
         AS input_tokens,
       CASE WHEN status = 'failed' OR model = 'asr' OR status = 'open' THEN 0
            ELSE input * ((n * 31) % 5) / 10 END::int AS cached_tokens,
       CASE WHEN status = 'settled' AND model = 'explicit' AND n % 4 = 1 THEN input / 5 ELSE 0 END
         AS cache_write_tokens,
       CASE WHEN status = 'failed' OR model IN ('asr', 'embed') OR status = 'open' THEN 0
            ELSE output END AS output_tokens,
       CASE WHEN status = 'failed' OR model IN ('asr', 'embed') OR status = 'open' THEN 0
            ELSE output * ((n * 17) % 4) / 8 END::int AS reasoning_tokens,
       CASE WHEN model = 'asr' AND status <> 'open' THEN 1 + n % 60 ELSE 0 END AS units,
       CASE WHEN status = 'open' THEN 0.01 ELSE 0 END AS reserved_cost,
       CASE WHEN status = 'open' THEN 4096 ELSE 0 END AS reserved_tokens
FROM (
  SELECT m.*,
         CASE WHEN m.n > g.size - 4 THEN 'open'
              WHEN m.part = 1 AND m.turn % 10 = 0
                THEN CASE WHEN m.turn % 20 = 0 THEN 'failed' ELSE 'aborted' END
              ELSE 'settled' END AS status,
         CASE WHEN m.n > g.size - 4 THEN NULL
              WHEN m.part = 1 AND m.turn % 10 = 0
                THEN CASE WHEN m.turn % 20 = 0 THEN 'none' ELSE 'estimated' END
              WHEN m.n % 50 = 7 THEN 'estimated' ELSE 'provider' END AS usage_source,
         m.n % 1000 = 11 AS unpriced,
         CASE WHEN m.part = 2 AND m.turn % 10 > 0 THEN 'ask_' || m.turn % 3 END AS tool,
         CASE WHEN m.part = 2 AND m.turn % 10 = 0 THEN 2 ELSE 1 END AS attempt,
         (200 + (m.n * 7919) % 5000
           + CASE WHEN m.model = 'tiered' AND m.n % 10 = 4 THEN 40000 ELSE 0 END)::int AS input,
         (20 + (m.n * 104729) % 900)::int AS output
  FROM (
    SELECT n, ((n - 1) / 4)::int AS turn, ((n - 1) % 4)::int AS part,
           g.until - (g.size - n) * (g.days * interval '1 day' / g.size) AS started_at,
           CASE WHEN n % 97 = 5 THEN 'embedding' WHEN n % 89 = 3 THEN 'transcription'
                ELSE 'answer' END AS purpose,
           CASE WHEN n % 97 = 5 THEN 'embed' WHEN n % 89 = 3 THEN 'asr'
                ELSE (ARRAY['plain', 'explicit', 'tiered', 'yuan', 'hours'])[1 + (n * 13) % 5]
           END AS model
    FROM given g, generate_series(1::bigint, g.size) AS n
  ) m, given g
) d
"""

_PRICED: Final = """
CREATE TEMP TABLE priced AS
SELECT d.*, p.id AS price_id, coalesce(p.currency, 'USD') AS price_currency,
       coalesce(f.rate, 1) AS fx_rate,
       CASE WHEN d.cached_tokens = 0 THEN NULL
            WHEN d.model = 'explicit' AND d.n % 2 = 0 THEN 'explicit' ELSE 'implicit' END
         AS cache_type,
       CASE WHEN d.unpriced OR d.status = 'open' THEN 0
            WHEN p.unit = 'second' THEN d.units * p.per_unit
            ELSE ((d.input_tokens - d.cached_tokens - d.cache_write_tokens) * p.input_per_million
              + d.cached_tokens * CASE WHEN d.model = 'explicit' AND d.n % 2 = 0
                  THEN p.explicit_cached_per_million ELSE p.cached_per_million END
              + d.cache_write_tokens * coalesce(p.cache_write_per_million, p.input_per_million)
              + (d.output_tokens - d.reasoning_tokens) * p.output_per_million
              + d.reasoning_tokens * coalesce(p.reasoning_per_million, p.output_per_million)
            ) * 0.000001 END AS native
FROM (
  SELECT d.*, CASE WHEN d.model = 'hours' AND price_window_holds('bench-day', d.started_at)
                   THEN 'bench-day' ELSE 'any' END AS window_code
  FROM drawn d
) d
LEFT JOIN llm_prices p ON NOT d.unpriced AND p.factory = 'bench' AND p.model_code = d.model
  AND p.window_code = d.window_code
  AND (d.input_tokens > p.tier_min_input OR p.tier_min_input = 0)
  AND d.input_tokens <= coalesce(p.tier_max_input, d.input_tokens)
LEFT JOIN LATERAL (
  SELECT x.rate FROM fx_rates x
  WHERE p.currency <> 'USD' AND x.base = p.currency AND x.quote = 'USD'
    AND x.valid_from <= d.started_at
  ORDER BY x.valid_from DESC LIMIT 1
) f ON true
"""

_USERS: Final = """
INSERT INTO users (id, name)
SELECT md5('bench user ' || u)::uuid, 'bench user ' || u
FROM given g, generate_series(0, greatest(g.size / 5000, 4) - 1) AS u
"""

_SESSIONS: Final = """
INSERT INTO sessions (id, user_id, title, status, last_activity_at, created_at)
SELECT md5('bench session ' || p.session)::uuid,
       md5('bench user ' || p.session % greatest(min(g.size) / 5000, 4))::uuid,
       'Session ' || p.session, 'completed', max(p.started_at), min(p.started_at)
FROM priced p, given g
GROUP BY p.session
"""

_RUNS: Final = """
INSERT INTO runs (id, session_id, user_id, workflow, status, raw_run_id, raw_thread_id,
                  started_at, finished_at, created_at)
SELECT md5('bench run ' || p.turn)::uuid, s.id, s.user_id, 'chat', 'succeeded',
       'run ' || p.turn, s.id::text, min(p.started_at), max(p.started_at), min(p.started_at)
FROM priced p JOIN sessions s ON s.id = md5('bench session ' || p.session)::uuid
GROUP BY p.turn, s.id, s.user_id
"""

_CALLS: Final = """
INSERT INTO llm_calls (
  id, idempotency_key, run_id, session_id, message_id, user_id, purpose, stage, agent, tool,
  attempt, factory, model_code, price_id, unpriced, status, usage_source, usage_method,
  input_tokens, cached_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cache_type,
  units, price_currency, cost_native, fx_rate, cost_exact, currency, reserved_cost,
  reserved_tokens, raw_usage, error_code, finish_reason, started_at, first_token_at, settled_at)
SELECT md5('bench call ' || p.n)::uuid, 'bench ' || p.n,
       CASE WHEN p.purpose = 'answer' THEN md5('bench run ' || p.turn)::uuid END,
       CASE WHEN p.purpose = 'answer' THEN s.id END,
       CASE WHEN p.purpose = 'answer'
            THEN md5('bench message ' || p.turn || ' ' || (p.part + 2) / 2)::uuid END,
       s.user_id, p.purpose,
       (ARRAY['intent', 'execution', 'execution', 'organization'])[p.part + 1],
       (ARRAY['reader', 'worker', 'worker', 'writer'])[p.part + 1], p.tool, p.attempt,
       'bench', p.model, p.price_id, p.unpriced, p.status, p.usage_source,
       CASE WHEN p.usage_source = 'estimated' THEN 'tokenizer' END,
       p.input_tokens, p.cached_tokens, p.cache_write_tokens, p.output_tokens, p.reasoning_tokens,
       p.cache_type, p.units, p.price_currency, round(p.native, 12), p.fx_rate,
       round(p.native * p.fx_rate, 12), 'USD', p.reserved_cost, p.reserved_tokens,
       CASE WHEN p.usage_source = 'provider' THEN jsonb_build_object(
         'prompt_tokens', p.input_tokens, 'completion_tokens', p.output_tokens) END,
       CASE WHEN p.status = 'failed' THEN 'upstream' END,
       CASE WHEN p.status = 'settled' THEN 'stop' END, p.started_at,
       CASE WHEN p.status = 'settled' THEN p.started_at + (p.n % 900) * interval '1 ms' END,
       CASE WHEN p.status <> 'open' THEN p.started_at + (1000 + p.n % 7000) * interval '1 ms' END
FROM priced p JOIN sessions s ON s.id = md5('bench session ' || p.session)::uuid
ORDER BY p.n
"""

_MESSAGES: Final = """
INSERT INTO messages (id, session_id, seq, role, content, model_code, input_tokens, output_tokens,
                      cost, currency, latency_ms, created_at)
SELECT md5('bench message ' || t.turn || ' ' || place)::uuid,
       md5('bench session ' || t.turn / 5)::uuid, 4 * (t.turn % 5) + place + 1,
       (CASE WHEN place = 0 THEN 'user' ELSE 'assistant' END)::message_role,
       'Message ' || place || ' of turn ' || t.turn,
       CASE WHEN place > 0 THEN 'plain' END, coalesce(c.input_tokens, 0),
       coalesce(c.output_tokens, 0), coalesce(c.cost, 0), 'USD',
       CASE WHEN place > 0 THEN 1500 END, t.started_at
FROM (SELECT turn, min(started_at) AS started_at FROM priced GROUP BY turn) t
CROSS JOIN generate_series(0, 3) AS place
LEFT JOIN (
  SELECT p.turn, (p.part + 2) / 2 AS place, sum(p.input_tokens) AS input_tokens,
         sum(p.output_tokens) AS output_tokens,
         round(sum(round(p.native * p.fx_rate, 12)), 6) AS cost
  FROM priced p WHERE p.purpose = 'answer' AND p.status <> 'open' GROUP BY 1, 2
) c USING (turn, place)
"""

_TOTALS: Final = """
UPDATE sessions s
SET message_count = m.messages, total_tokens = m.tokens, total_cost = m.cost
FROM (SELECT session_id, count(*) AS messages, sum(input_tokens + output_tokens) AS tokens,
             sum(cost) AS cost FROM messages GROUP BY session_id) m
WHERE s.id = m.session_id
"""

_COUNTERS: Final = """
INSERT INTO budget_counters (scope, scope_id, period, period_start, calls, tokens, cost,
                             reserved_tokens, reserved_cost)
SELECT k.scope, k.scope_id, k.period, date_trunc(k.period, c.started_at, 'UTC'), count(*),
       sum(c.input_tokens + c.output_tokens), sum(c.cost_exact), sum(c.reserved_tokens),
       sum(c.reserved_cost)
FROM llm_calls c
CROSS JOIN LATERAL (VALUES ('deployment', '', 'day'), ('deployment', '', 'month'),
                           ('user', c.user_id::text, 'day'), ('user', c.user_id::text, 'month')
) AS k(scope, scope_id, period)
GROUP BY 1, 2, 3, 4
"""

_STEPS: Final = (
    ("prices", PRICES),
    ("calls drawn", _DRAWN),
    ("calls priced", _PRICED),
    ("users", _USERS),
    ("sessions", _SESSIONS),
    ("runs", _RUNS),
    ("messages", _MESSAGES),
    ("calls written", _CALLS),
    ("session totals", _TOTALS),
    ("budget counters", _COUNTERS),
)


@dataclass(frozen=True, slots=True)
class Size:
    """`calls` ledger rows, evenly over the `days` that end at `until`."""

    calls: int
    days: int
    until: datetime


async def generate(
    connection: asyncpg.Connection[asyncpg.Record],
    size: Size,
    say: Callable[[str], None] = lambda _: None,
) -> None:
    """Fill an empty database; the database's user has to be a superuser.

    Raises:
        ValueError: there are calls in it already, or `size.calls` are not whole sessions.
    """
    if size.calls % CALLS_A_SESSION or size.calls < CALLS_A_SESSION:
        raise ValueError(f"a session has {CALLS_A_SESSION} calls: {size.calls} are not whole ones")
    if await connection.fetchval("SELECT EXISTS (SELECT FROM llm_calls)"):
        raise ValueError("there are calls in this database already")
    async with connection.transaction():
        # The audit holds what the foreign keys would hold; checking them row by row takes minutes.
        await connection.execute("SET LOCAL session_replication_role = replica")
        await connection.execute(_GIVEN, size.calls, size.days, size.until)
        for what, statement in _STEPS:
            await connection.execute(statement)
            say(what)
        await connection.execute("DROP TABLE given, drawn, priced")
    await connection.execute("VACUUM (ANALYZE)")
    # What was made is on the disk before anything is measured: a commit would wait behind it.
    await connection.execute("CHECKPOINT")
    say("analysed")
