"""Prices that calls were booked with: the right row, whole, and the right product."""

from __future__ import annotations

from typing import Final

CALL_AGAINST_PRICE: Final = """\
SELECT c.id AS call_id, c.factory, c.model_code,
       c.cost_exact, round(x.native * c.fx_rate, 12) AS repriced,
       c.cost_native, round(x.native, 12) AS repriced_native
FROM llm_calls c
LEFT JOIN llm_prices p ON p.id = c.price_id
CROSS JOIN LATERAL (
  SELECT CASE WHEN p.unit <> 'token' THEN c.units * p.per_unit ELSE (
    (c.input_tokens - c.cached_tokens - c.cache_write_tokens) * p.input_per_million
    + c.cached_tokens * CASE WHEN c.cache_type = 'explicit'
        THEN coalesce(p.explicit_cached_per_million, p.cached_per_million)
        ELSE p.cached_per_million END
    + c.cache_write_tokens * coalesce(p.cache_write_per_million, p.input_per_million)
    + (c.output_tokens - c.reasoning_tokens) * p.output_per_million
    + c.reasoning_tokens * coalesce(p.reasoning_per_million, p.output_per_million)
  ) * 0.000001 END AS native
) x
WHERE c.status <> 'open'
  AND (c.price_id IS NOT NULL OR NOT c.unpriced OR c.cost_exact <> 0)
  AND (c.cost_exact, c.cost_native)
      IS DISTINCT FROM (round(x.native * c.fx_rate, 12), round(x.native, 12))
ORDER BY c.started_at, c.id;
"""

PRICE_OUT_OF_PLACE: Final = """\
SELECT c.id AS call_id, c.factory, c.model_code, f.fault, c.started_at, p.effective,
       c.input_tokens, p.tier_min_input, p.tier_max_input, p.window_code,
       c.price_currency, p.currency
FROM llm_calls c
LEFT JOIN llm_prices p ON p.id = c.price_id
CROSS JOIN LATERAL (
  SELECT CASE
    WHEN p.id IS NULL THEN 'no price'
    WHEN (p.factory, p.model_code) IS DISTINCT FROM (c.factory, c.model_code)
      THEN 'price of another model'
    WHEN p.currency IS DISTINCT FROM c.price_currency THEN 'price in another currency'
    WHEN NOT p.effective @> c.started_at THEN 'out of date'
    WHEN c.status <> 'open' AND ((c.input_tokens > 0 AND c.input_tokens <= p.tier_min_input)
         OR c.input_tokens > p.tier_max_input) THEN 'out of its tier'
    WHEN p.window_code <> 'any' AND NOT price_window_holds(p.window_code, c.started_at)
      THEN 'out of its window'
    WHEN p.window_code = 'any' AND c.status <> 'open' AND EXISTS (
      SELECT FROM llm_prices w
      WHERE (w.factory, w.model_code) = (c.factory, c.model_code)
        AND w.window_code <> 'any' AND w.effective @> c.started_at
        AND (c.input_tokens > w.tier_min_input OR w.tier_min_input = 0)
        AND c.input_tokens <= coalesce(w.tier_max_input, c.input_tokens)
        AND price_window_holds(w.window_code, c.started_at))
      THEN 'the price of a window held'
  END AS fault
) f
WHERE f.fault IS NOT NULL AND NOT (c.price_id IS NULL AND c.unpriced)
ORDER BY c.started_at, c.id;
"""

PRICE_WITH_GAPS: Final = """\
SELECT p.id AS price_id, p.factory, p.model_code, p.unit, g.missing
FROM llm_prices p
CROSS JOIN LATERAL (
  SELECT array_remove(ARRAY[
    CASE WHEN p.currency IS NULL THEN 'currency' END,
    CASE WHEN p.effective IS NULL THEN 'effective' END,
    CASE WHEN p.input_per_million IS NULL THEN 'input_per_million' END,
    CASE WHEN p.cached_per_million IS NULL THEN 'cached_per_million' END,
    CASE WHEN p.output_per_million IS NULL THEN 'output_per_million' END,
    CASE WHEN p.unit <> 'token' AND p.per_unit IS NULL THEN 'per_unit' END
  ], NULL) AS missing
) g
WHERE g.missing <> '{}'
ORDER BY p.factory, p.model_code, p.id;
"""

RATE_OUT_OF_PLACE: Final = """\
SELECT c.id AS call_id, c.price_currency, c.currency, m.currency AS message_currency,
       c.started_at, c.fx_rate, r.rate
FROM llm_calls c
LEFT JOIN messages m ON m.id = c.message_id
CROSS JOIN LATERAL (
  SELECT CASE WHEN c.price_currency = c.currency THEN 1 ELSE (
    SELECT x.rate FROM fx_rates x
    WHERE x.base = c.price_currency AND x.quote = c.currency AND x.valid_from <= c.started_at
    ORDER BY x.valid_from DESC LIMIT 1
  ) END AS rate
) r
WHERE c.currency <> m.currency OR c.fx_rate IS DISTINCT FROM r.rate
ORDER BY c.started_at, c.id;
"""
