"""The SQL of prices."""

from __future__ import annotations

from sqlalchemy import text

from callsheet.db.transaction import Read
from callsheet.ledger.price import Price

_ALL = text("""
SELECT id, factory, model_code, currency,
       nullif(lower(effective), '-infinity') AS valid_from,
       nullif(upper(effective), 'infinity') AS valid_to, input_per_million, cached_per_million,
       cache_write_per_million, output_per_million, reasoning_per_million
FROM llm_prices
WHERE unit = 'token' AND window_code = 'any' AND tier_min_input = 0
""")


async def load_prices(tx: Read) -> list[Price]:
    """Every price per token; a price that is open at an end has None there."""
    return [Price(**row._asdict()) for row in (await tx.execute(_ALL)).all()]
