"""The prices of the generated ledger: one model for each kind of price."""

from __future__ import annotations

from typing import Final

PRICES: Final = """
INSERT INTO price_windows (code, timezone, weekdays, from_time, to_time)
VALUES ('bench-day', 'Asia/Shanghai', '{1,2,3,4,5}', '09:00', '21:00');
INSERT INTO fx_rates (base, quote, rate, valid_from, source)
SELECT 'CNY', 'USD', r.rate, g.until - g.days * r.share * interval '1 day', 'bench'
FROM given g, (VALUES (0.1398, 2.0), (0.1405, 0.5)) AS r(rate, share);
INSERT INTO llm_prices (factory, model_code, unit, currency, tier_min_input, tier_max_input,
                        window_code, effective, input_per_million, cached_per_million,
                        explicit_cached_per_million, cache_write_per_million, output_per_million,
                        reasoning_per_million, per_unit, source)
SELECT 'bench', v.*, 'bench' FROM (VALUES
  ('plain', 'token', 'USD', 0, NULL::int, 'any', tstzrange(NULL, NULL), 0.28, 0.028,
   NULL::numeric, NULL::numeric, 0.4, NULL::numeric, NULL::numeric),
  ('explicit', 'token', 'USD', 0, NULL, 'any', tstzrange(NULL, NULL), 0.4, 0.08, 0.04, 0.5, 1.6,
   4, NULL),
  ('tiered', 'token', 'USD', 0, 32000, 'any', tstzrange(NULL, NULL), 1.2, 0.24, NULL, NULL, 6,
   NULL, NULL),
  ('tiered', 'token', 'USD', 32000, NULL, 'any', tstzrange(NULL, NULL), 2.4, 0.48, NULL, NULL, 12,
   NULL, NULL),
  ('yuan', 'token', 'CNY', 0, NULL, 'any', tstzrange(NULL, NULL), 8, 2, NULL, NULL, 28, NULL,
   NULL),
  ('hours', 'token', 'USD', 0, NULL, 'any', tstzrange(NULL, NULL), 0.15, 0.003, NULL, NULL, 0.6,
   NULL, NULL),
  ('hours', 'token', 'USD', 0, NULL, 'bench-day', tstzrange(NULL, NULL), 0.3, 0.006, NULL, NULL,
   1.2, NULL, NULL),
  ('embed', 'token', 'USD', 0, NULL, 'any', tstzrange(NULL, NULL), 0.07, 0.07, NULL, NULL, 0,
   NULL, NULL),
  ('asr', 'second', 'USD', 0, NULL, 'any', tstzrange(NULL, NULL), 0, 0, NULL, NULL, 0, NULL,
   0.00009)
) AS v;
"""
