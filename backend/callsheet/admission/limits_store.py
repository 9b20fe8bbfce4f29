"""The SQL of what is checked before a turn, on the driver's connection."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from callsheet.db.driver import DriverTx
from callsheet.ledger.rate.room import MINUTE, Traffic, minute_of
from callsheet.runs.active import is_active

_LOOK: Final = f"""
SELECT EXISTS (SELECT FROM runs r WHERE r.id = $2::uuid) AS is_known,
       coalesce((SELECT w.requests FROM rate_windows w WHERE w.scope = 'user'
                 AND w.scope_id = $1::uuid::text AND w.window_start = $3::timestamptz), 0)
         AS requests,
       (SELECT coalesce(sum(c.input_tokens + c.output_tokens + c.reserved_tokens), 0)::bigint
        FROM llm_calls c WHERE c.user_id = $1 AND c.started_at > $4::timestamptz) AS tokens,
       (SELECT count(*) FROM runs r WHERE r.user_id = $1 AND {is_active("r")}) AS under_way
"""  # noqa: S608 - our own text, not a value

# A session's last activity is not before the end of its last run.
_TROUBLES: Final = """
SELECT count(*) AS number, max(t.at) AS last
FROM (
  SELECT r.at FROM usage_refusals r
  WHERE r.user_id = $1::uuid AND r.at > $2::timestamptz AND r.call_id IS NULL
    AND r.scope <> 'provider' AND NOT r.detail ? 'troubles'
  UNION ALL
  SELECT r.finished_at FROM sessions s JOIN runs r ON r.session_id = s.id
  WHERE s.user_id = $1 AND s.last_activity_at > $2 AND r.user_id = $1
    AND r.status = 'failed' AND r.finished_at > $2
) t
"""


@dataclass(frozen=True, slots=True)
class Troubles:
    """Refused and failed turns of the last minutes; `last` is None where there are none."""

    number: int
    last: datetime | None


async def look(tx: DriverTx, user_id: UUID, run_id: UUID, now: datetime) -> tuple[bool, Traffic]:
    """Whether the run was let in before, and what else the user does now."""
    row = await tx.fetchrow(_LOOK, user_id, run_id, minute_of(now), now - MINUTE)
    if row is None:
        return False, Traffic()
    return row["is_known"], Traffic(row["requests"], row["tokens"], row["under_way"])


async def troubles_of(tx: DriverTx, user_id: UUID, now: datetime, within: timedelta) -> Troubles:
    """The user's troubles in all processes."""
    row = await tx.fetchrow(_TROUBLES, user_id, now - within)
    return Troubles(0, None) if row is None else Troubles(row["number"], row["last"])
