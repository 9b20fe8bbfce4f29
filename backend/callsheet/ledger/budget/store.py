"""The judge inside the transaction that opens calls, and the SQL that it needs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

import asyncpg

from callsheet.db.driver import DriverTx
from callsheet.kit.json import decode, encode
from callsheet.ledger.budget.extensions import EXTENDED
from callsheet.ledger.budget.judge import judge_all
from callsheet.ledger.budget.limits import Limits, Scope
from callsheet.ledger.budget.period import period_ends
from callsheet.ledger.budget.quotas import Quotas
from callsheet.ledger.budget.refusal import BUDGET_SPENT, Refusal
from callsheet.ledger.budget.standing import Claim, Place, Spent
from callsheet.ledger.call import OpenedCall

# One row for each call and scope; of scopes without a limit nothing is read. A call that stands
# in the ledger, or was refused, is judged already: its batch is written once more.
_STANDING: Final = f"""
WITH asked AS (
  SELECT a.*, date_trunc('day', a.started_at, $6::text) AS day,
         date_trunc('month', a.started_at, $6) AS month,
         EXISTS (SELECT FROM llm_calls c WHERE c.id = a.id) AS is_open,
         (SELECT r.detail::text FROM usage_refusals r
          WHERE r.user_id = a.user_id AND r.at = a.started_at AND r.call_id = a.id
         ) AS refused
  FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::timestamptz[])
    AS a(id, run_id, session_id, user_id, started_at)
)
SELECT a.id AS call_id, a.is_open, a.refused, a.day, a.month, s.*
FROM asked a LEFT JOIN LATERAL (
  SELECT 'run' AS scope, CASE WHEN 'run' = ANY($7::text[]) THEN (
           SELECT count(*) FROM interrupts i
           WHERE i.run_id = ANY(chain.ids) AND i.detail->>'scope' = 'run' AND {EXTENDED}
         ) ELSE 0 END AS extended, count(c.id) AS calls,
         coalesce(sum(c.input_tokens + c.output_tokens), 0) AS tokens,
         coalesce(sum(c.cost_exact), 0) AS cost,
         coalesce(sum(c.reserved_tokens), 0) AS held_tokens,
         coalesce(sum(c.reserved_cost), 0) AS held_cost
  FROM (SELECT ARRAY(
    SELECT a.run_id
    UNION ALL  -- a run that goes on from others has one budget with them
    SELECT k.id FROM runs r JOIN runs k ON r.root_run_id IN (k.id, k.root_run_id)
    WHERE r.id = a.run_id AND k.id <> r.id) AS ids) chain
  LEFT JOIN llm_calls c ON 'run' = ANY($7) AND c.run_id = ANY(chain.ids)
  GROUP BY chain.ids
  UNION ALL
  SELECT 'session', CASE WHEN 'session' = ANY($7) THEN (
           SELECT count(*) FROM interrupts i
           WHERE i.session_id = a.session_id AND i.detail->>'scope' = 'session' AND {EXTENDED}
         ) ELSE 0 END, count(*), coalesce(sum(c.input_tokens + c.output_tokens), 0),
         coalesce(sum(c.cost_exact), 0), coalesce(sum(c.reserved_tokens), 0),
         coalesce(sum(c.reserved_cost), 0)
  FROM llm_calls c WHERE 'session' = ANY($7) AND c.session_id = a.session_id
  UNION ALL
  SELECT b.scope || '_' || b.period, 0, b.calls, b.tokens, b.cost, b.reserved_tokens,
         b.reserved_cost
  FROM budget_counters b
  WHERE (b.scope, b.scope_id, b.period, b.period_start) IN (
    ('user', a.user_id::text, 'day', a.day), ('user', a.user_id::text, 'month', a.month),
    ('deployment', '', 'day', a.day))
) s ON NOT a.is_open AND a.refused IS NULL
"""  # noqa: S608 - our own words, not values

_REFUSE: Final = """
INSERT INTO usage_refusals (at, user_id, run_id, call_id, code, scope, detail)
SELECT r.at, r.user_id, r.run_id, r.call_id, $7::text, r.scope, r.detail::jsonb
FROM unnest($1::timestamptz[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::text[])
  AS r(at, user_id, run_id, call_id, scope, detail)
"""


class BudgetGuard:
    """Says which calls of a batch their budgets do not cover."""

    def __init__(self, quotas: Quotas) -> None:
        self._quotas = quotas

    @property
    def zone(self) -> str:
        """The name of the zone whose days and months the counters are kept by."""
        return self._quotas.zone.key

    def applies(self, calls: Sequence[OpenedCall]) -> bool:
        """Whether anybody has any limit, or one of these calls' sessions has its own."""
        return self._quotas.applies() or any(c.session_budget is not None for c in calls)

    async def refuse(
        self, connection: DriverTx, calls: Sequence[OpenedCall]
    ) -> Mapping[str, Refusal]:
        """The refusals by call id, written to `usage_refusals`; the other calls may be opened.

        To be run in the transaction that opens the calls: with their sessions and then the
        counters locked by statements before this one, so that it sees what others committed; and
        after the batch's settled calls were written, so that what these held is free again.
        """
        limits = {call.id: self._limits_of(call) for call in calls}
        limited = [call for call in calls if limits[call.id].scopes]
        if not limited:
            return {}
        rows = await connection.fetch(
            _STANDING,
            [call.id for call in limited],
            [call.run_id for call in limited],
            [call.session_id for call in limited],
            [call.user_id for call in limited],
            [call.started_at for call in limited],
            self.zone,
            sorted({scope for found in limits.values() for scope in found.scopes}),
        )
        refusals = _judged(limited, limits, rows, self._quotas.zone)
        if refusals:
            await self._write(connection, [(c, refusals[c.id]) for c in calls if c.id in refusals])
        known = {
            str(row["call_id"]): Refusal.of(decode(row["refused"]))
            for row in rows
            if row["refused"]
        }
        return {**known, **refusals}

    def _limits_of(self, call: OpenedCall) -> Limits:
        """The user's limits; what they set for the session themselves can only be less."""
        limits = self._quotas.limits_of(call.user_id)
        own = call.session_budget
        if own is None:
            return limits
        return limits.but({"session": {"cost": min(own, limits.of("session").get("cost", own))}})

    @staticmethod
    async def _write(connection: DriverTx, refused: Sequence[tuple[OpenedCall, Refusal]]) -> None:
        await connection.execute(
            _REFUSE,
            [call.started_at for call, _ in refused],
            [call.user_id for call, _ in refused],
            [call.run_id for call, _ in refused],
            [call.id for call, _ in refused],
            [refusal.scope.partition("_")[0] for _, refusal in refused],
            [encode(refusal.detail()).decode() for _, refusal in refused],
            BUDGET_SPENT,
        )


def _judged(
    calls: Sequence[OpenedCall],
    limits: Mapping[str, Limits],
    rows: Iterable[asyncpg.Record],
    zone: ZoneInfo,
) -> Mapping[str, Refusal]:
    by_id = {call.id: call for call in calls}
    claims: dict[str, Claim] = {}
    standing: dict[Place, Spent] = {}
    limits = dict(limits)
    for row in rows:
        call_id = str(row["call_id"])
        if row["is_open"] or row["refused"]:
            continue
        claim = claims.get(call_id)
        if claim is None:
            claim = claims[call_id] = _claim(by_id[call_id], row["day"], row["month"])
        place = claim.places.get(row["scope"])
        if place is not None:
            standing[place] = _spent(row)
            limits[call_id] = limits[call_id].extended(row["scope"], row["extended"])
    asked = [(claims[call.id], limits[call.id]) for call in calls if call.id in claims]
    return judge_all(asked, standing, _ends(zone))


def _claim(call: OpenedCall, day: datetime, month: datetime) -> Claim:
    user_id = str(call.user_id)
    places: dict[Scope, Place] = {
        "run": Place("run", str(call.run_id)),
        "session": Place("session", str(call.session_id)),
        "user_day": Place("user_day", user_id, day),
        "user_month": Place("user_month", user_id, month),
        "deployment_day": Place("deployment_day", "", day),
    }
    return Claim(call.id, call.reserved_tokens, call.reserved_cost, call.currency, places)


def _spent(row: asyncpg.Record) -> Spent:
    return Spent(
        calls=row["calls"],
        tokens=int(row["tokens"]),
        cost=row["cost"],
        held_tokens=int(row["held_tokens"]),
        held_cost=row["held_cost"],
    )


def _ends(zone: ZoneInfo) -> Callable[[Place], datetime | None]:
    def ends(place: Place) -> datetime | None:
        if place.start is None:
            return None
        day, month = period_ends(place.start, zone)
        return month if place.scope == "user_month" else day

    return ends
