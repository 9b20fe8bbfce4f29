"""Faults to plant with SQL, and the audit queries that must find each."""

from __future__ import annotations

from typing import Final

# Rules of the database that a fault would run into: an auditor does not rely on them.
UNRULED: Final = (
    "ALTER TABLE llm_calls DROP CONSTRAINT ck_llm_calls_unpriced",
    "ALTER TABLE llm_calls DROP CONSTRAINT ck_llm_calls_message",
    "ALTER TABLE llm_prices ALTER input_per_million DROP NOT NULL",
    "ALTER TABLE llm_prices ALTER cached_per_million DROP NOT NULL",
    "ALTER TABLE llm_prices DISABLE TRIGGER USER",
)
COUNTED: Final = """
INSERT INTO budget_counters (scope, scope_id, period, period_start, calls, tokens, cost)
SELECT s.scope, CASE s.scope WHEN 'user' THEN c.user_id::text ELSE '' END, p.period,
       date_trunc(p.period, c.started_at, 'UTC'), count(*), sum(c.input_tokens + c.output_tokens),
       sum(c.cost_exact)
FROM llm_calls c, unnest(ARRAY['user', 'deployment']) AS s(scope),
     unnest(ARRAY['day', 'month']) AS p(period)
GROUP BY 1, 2, 3, 4
"""
WINDOW: Final = (
    "INSERT INTO price_windows (code, timezone, weekdays, from_time, to_time) "
    "VALUES ('night', 'UTC', '{1,2,3,4,5,6,7}', '00:00', '08:00')",
    "UPDATE llm_calls SET started_at = '2026-05-01 08:00Z'",
)

FAULTS: Final[dict[str, tuple[set[int], tuple[str, ...]]]] = {
    # The eight that every auditor plants first.
    "a call changed": (
        {3},
        ("UPDATE llm_calls SET cost_exact = cost_exact + 1e-12 WHERE id = :call_id",),
    ),
    "a message changed": (
        {1, 2},
        ("UPDATE messages SET cost = cost + 0.000001 WHERE id = :message_id",),
    ),
    "a session changed": ({2}, ("UPDATE sessions SET total_cost = 0 WHERE id = :session_id",)),
    "mixed currency": (
        {2, 10, 13},
        ("UPDATE messages SET currency = 'CNY' WHERE id = :message_id",),
    ),
    "lost message": (
        {2, 12},
        (
            "SET LOCAL session_replication_role = replica",
            "DELETE FROM messages WHERE id = :message_id",
        ),
    ),
    "price out of date": (
        {8},
        ("UPDATE llm_calls SET started_at = '2025-12-31' WHERE id = :call_id",),
    ),
    "no price": ({3, 8}, ("UPDATE llm_calls SET price_id = NULL WHERE id = :call_id",)),
    "wrong tokens": (
        {1, 3},
        ("UPDATE llm_calls SET output_tokens = 301 WHERE id = :call_id",),
    ),
    "NULL price columns": (
        {3, 11},
        ("UPDATE llm_prices SET cached_per_million = NULL WHERE id = :price_id",),
    ),
    # And others.
    "a message's tokens": (
        {1, 2},
        ("UPDATE messages SET input_tokens = 1001 WHERE id = :message_id",),
    ),
    "a session's tokens": ({2}, ("UPDATE sessions SET total_tokens = 1 WHERE id = :session_id",)),
    "a session's count": ({2}, ("UPDATE sessions SET message_count = 1 WHERE id = :session_id",)),
    "a message that is deleted and still counted": (
        {2},
        ("UPDATE messages SET deleted_at = now() WHERE id = :message_id",),
    ),
    "a deleted message that is gone for good": (
        {2},
        (
            "DELETE FROM messages WHERE session_id = :session_id AND seq = 1",
            "UPDATE sessions SET message_count = message_count - 1 WHERE id = :session_id",
        ),
    ),
    "a call's native cost": (
        {3},
        ("UPDATE llm_calls SET cost_native = cost_native * 2 WHERE id = :call_id",),
    ),
    "the price of an explicit cache that was not taken": (
        {3},
        (
            "UPDATE llm_prices SET explicit_cached_per_million = 0.05 WHERE id = :price_id",
            "UPDATE llm_calls SET cache_type = 'explicit' WHERE id = :call_id",
        ),
    ),
    "units that were not paid for": (
        {3},
        (
            "UPDATE llm_prices SET unit = 'second', per_unit = 0.01 WHERE id = :price_id",
            "UPDATE llm_calls SET units = 2",
            "UPDATE llm_calls SET cost_native = 0.02, cost_exact = 0.02 WHERE id <> :call_id",
            "UPDATE messages SET cost = 0.02 WHERE id <> :message_id AND role = 'assistant'",
            "UPDATE sessions SET total_cost = 0.0208",
        ),
    ),
    "a call without a price that costs something": (
        {3},
        ("UPDATE llm_calls SET price_id = NULL, unpriced = true WHERE id = :call_id",),
    ),
    "a call of another model": (
        {8},
        ("UPDATE llm_calls SET model_code = 'qwen-other' WHERE id = :call_id",),
    ),
    "a price in another currency": (
        {8},
        ("UPDATE llm_prices SET currency = 'EUR' WHERE id = :price_id",),
    ),
    "an input over its tier": (
        {8},
        ("UPDATE llm_prices SET tier_max_input = 999 WHERE id = :price_id",),
    ),
    "an input at the lower end of its tier": (
        {8},
        ("UPDATE llm_prices SET tier_min_input = 1000 WHERE id = :price_id",),
    ),
    "a price out of its window": (
        {8},
        (*WINDOW, "UPDATE llm_prices SET window_code = 'night' WHERE id = :price_id"),
    ),
    "a plain price while a window's held": (
        {8},
        (
            *WINDOW,
            "INSERT INTO llm_prices (factory, model_code, currency, effective, window_code, "
            "input_per_million, output_per_million, source) SELECT factory, model_code, currency, "
            "effective, 'night', 0, 0, 't' FROM llm_prices",
            "UPDATE llm_calls SET started_at = '2026-05-01 07:59:59Z' WHERE id = :call_id",
        ),
    ),
    "a rate that was not in force": (
        {3, 10},
        (
            "INSERT INTO fx_rates (base, quote, rate, valid_from, source) VALUES "
            "('CNY', 'USD', 0.14, '2026-01-01', 't'), ('CNY', 'USD', 0.15, now() + '1 day', 't')",
            "UPDATE llm_prices SET currency = 'CNY'",
            "UPDATE llm_calls SET price_currency = 'CNY', fx_rate = 0.14, "
            "cost_exact = round(cost_native * 0.14, 12)",
            "UPDATE messages m SET cost = (SELECT coalesce(round(sum(cost_exact), 6), 0) "
            "FROM llm_calls WHERE message_id = m.id)",
            "UPDATE sessions SET total_cost = (SELECT sum(cost) FROM messages)",
            "UPDATE llm_calls SET fx_rate = 0.15 WHERE id = :call_id",
        ),
    ),
    "a rate in one and the same currency": (
        {3, 10},
        ("UPDATE llm_calls SET fx_rate = 2 WHERE id = :call_id",),
    ),
    "a call without a message": (
        {1, 12},
        ("UPDATE llm_calls SET message_id = NULL WHERE id = :call_id",),
    ),
    "a call of another session": (
        {12},
        (
            "INSERT INTO sessions (id, user_id) SELECT :call_id, user_id FROM sessions",
            "UPDATE llm_calls SET session_id = :call_id WHERE id = :call_id",
        ),
    ),
    "a call that another user pays": (
        {12},
        (
            "INSERT INTO users (id, name) VALUES (:call_id, 'other')",
            "UPDATE llm_calls SET user_id = :call_id WHERE id = :call_id",
        ),
    ),
    "a correction in another currency": (
        {13},
        (
            "INSERT INTO cost_adjustments (call_id, factory, amount, currency, reason, reference, "
            "created_by) VALUES (:call_id, 'qwen', 1, 'EUR', 'bill', 'r', 'me')",
        ),
    ),
    "a counter's cost": (
        {9},
        (COUNTED, "UPDATE budget_counters SET cost = cost + 1e-12 WHERE scope = 'user'"),
    ),
    "a counter's calls": (
        {9},
        (COUNTED, "UPDATE budget_counters SET calls = calls + 1 WHERE period = 'month'"),
    ),
    "a counter's tokens": (
        {9},
        (COUNTED, "UPDATE budget_counters SET tokens = 0 WHERE scope = 'deployment'"),
    ),
    "a reservation that nothing holds": (
        {9},
        (COUNTED, "UPDATE budget_counters SET reserved_cost = 1, reserved_tokens = 5"),
    ),
    "a day that nobody counted": (
        {9},
        (
            "UPDATE llm_calls SET started_at = '2026-05-01'",
            COUNTED,
            "UPDATE llm_calls SET started_at = '2026-05-02 12:00' WHERE id = :call_id",
        ),
    ),
}
