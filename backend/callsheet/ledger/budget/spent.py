"""What is spent now in each scope of a user, read beside the calls under way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, cast
from uuid import UUID
from zoneinfo import ZoneInfo

from callsheet.db.driver import DriverTx
from callsheet.db.transaction import Read
from callsheet.ledger.budget.limits import Scope
from callsheet.ledger.budget.period import period_ends, period_starts
from callsheet.ledger.budget.standing import Spent

_SPENT: Final = """
SELECT b.scope || '_' || b.period AS scope, b.calls, b.tokens, b.cost,
       b.reserved_tokens AS held_tokens, b.reserved_cost AS held_cost
FROM budget_counters b
WHERE (b.scope, b.scope_id, b.period, b.period_start) IN (
  ('user', $1::text, 'day', $2::timestamptz), ('user', $1, 'month', $3::timestamptz),
  ('deployment', '', 'day', $2))
UNION ALL
SELECT 'session', count(*), coalesce(sum(c.input_tokens + c.output_tokens), 0)::bigint,
       coalesce(sum(c.cost_exact), 0), coalesce(sum(c.reserved_tokens), 0)::bigint,
       coalesce(sum(c.reserved_cost), 0)
FROM llm_calls c WHERE c.session_id = $4::uuid
"""


async def spent_before_turn(
    connection: DriverTx, user_id: UUID, session_id: UUID | None, now: datetime, zone: ZoneInfo
) -> Mapping[Scope, Spent]:
    """What the user, the session and the deployment have spent, on the driver's connection."""
    return _by_scope(await connection.fetch(_SPENT, *_values(user_id, session_id, now, zone)))


async def spent_of_user(
    tx: Read, user_id: UUID, now: datetime, zone: ZoneInfo
) -> Mapping[Scope, Spent]:
    """What the user and the deployment have spent this day and this month."""
    rows = await tx.exec_driver_sql(_SPENT, _values(user_id, None, now, zone))
    return _by_scope(rows.mappings().all())


def scope_ends(now: datetime, zone: ZoneInfo) -> Mapping[Scope, datetime | None]:
    """When the budget of each scope is renewed; runs and sessions never are."""
    day, month = period_ends(now, zone)
    return {"user_day": day, "user_month": month, "deployment_day": day}


def _values(
    user_id: UUID, session_id: UUID | None, now: datetime, zone: ZoneInfo
) -> tuple[Any, ...]:
    day, month = period_starts(now, zone)
    return str(user_id), day, month, session_id


def _by_scope(rows: Iterable[Mapping[str, Any]] | Sequence[Any]) -> Mapping[Scope, Spent]:
    found: dict[Scope, Spent] = {
        "session": Spent(), "user_day": Spent(), "user_month": Spent(), "deployment_day": Spent()
    }  # fmt: skip
    for row in rows:
        found[cast(Scope, row["scope"])] = Spent(
            calls=row["calls"],
            tokens=row["tokens"],
            cost=row["cost"],
            held_tokens=row["held_tokens"],
            held_cost=row["held_cost"],
        )
    return found
