"""The SQL of rates, on the driver's connection, inside a transaction."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final, Literal

from callsheet.db.driver import DriverTx
from callsheet.ledger.rate.room import Traffic, minute_of

RatedScope = Literal["provider", "user"]

_SPACE: Final[dict[RatedScope, int]] = {"provider": 0x43535250, "user": 0x43535255}
_KEPT: Final = timedelta(minutes=5)

_LOCK: Final = "SELECT pg_advisory_xact_lock($1::int, hashtext($2::text))"
_OF_PROVIDER: Final = """
SELECT coalesce(w.requests, 0) AS requests, coalesce(w.tokens, 0) AS tokens,
       (SELECT count(*) FROM llm_calls c WHERE c.status = 'open' AND c.factory = $1::text
       ) AS under_way
FROM (VALUES (1)) one LEFT JOIN rate_windows w
  ON w.scope = 'provider' AND w.scope_id = $1 AND w.window_start = $2::timestamptz
"""
_COUNT: Final = """
INSERT INTO rate_windows AS w (scope, scope_id, window_start, requests, tokens)
VALUES ($1::text, $2::text, $3::timestamptz, 1, $4::bigint)
ON CONFLICT (scope, scope_id, window_start) DO UPDATE
SET requests = w.requests + 1, tokens = w.tokens + excluded.tokens
"""
# Another may be at it: nobody waits for that.
_FORGET: Final = """
DELETE FROM rate_windows WHERE ctid = ANY(ARRAY(
  SELECT ctid FROM rate_windows WHERE window_start < $1::timestamptz FOR UPDATE SKIP LOCKED))
"""


async def lock_rate(tx: DriverTx, scope: RatedScope, scope_id: str) -> None:
    """Wait for whoever is being let through now; held until the transaction ends."""
    await tx.execute(_LOCK, _SPACE[scope], scope_id)


async def traffic_of_provider(tx: DriverTx, factory: str, now: datetime) -> Traffic:
    """What all processes ask of the factory."""
    row = await tx.fetchrow(_OF_PROVIDER, factory, minute_of(now))
    return Traffic() if row is None else Traffic(**dict(row))


async def count_request(
    tx: DriverTx, scope: RatedScope, scope_id: str, now: datetime, tokens: int, *, is_first: bool
) -> None:
    """Add one to the running minute; the first of a minute removes what is long over."""
    if is_first:
        await tx.execute(_FORGET, now - _KEPT)
    await tx.execute(_COUNT, scope, scope_id, minute_of(now), tokens)
