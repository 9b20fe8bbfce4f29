"""Usage that became known after its call was settled by an estimate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from callsheet.db.transaction import Tx
from callsheet.events.call import LlmCallFinished

# The ids, what they really cost, the statuses of rows that may be corrected, and why it is known
# so late. Books the difference beside the rows, once.
CORRECT: Final = """
INSERT INTO cost_adjustments (call_id, day, factory, model_code, amount, currency, reason,
                              reference, created_by)
SELECT c.id, (c.started_at AT TIME ZONE 'UTC')::date, c.factory, c.model_code,
       s.cost - c.cost_exact, c.currency,
       CASE WHEN c.error_code = 'not_booked' THEN 'more than its session can hold'
            ELSE $4::text END,
       'late:' || c.id, 'callsheet'
FROM unnest($1::uuid[], $2::numeric[]) AS s(id, cost)
JOIN llm_calls c USING (id)
WHERE c.status = ANY($3::text[]) AND c.usage_source <> 'provider' AND c.cost_exact <> s.cost
  AND NOT EXISTS (SELECT FROM cost_adjustments a WHERE a.call_id = c.id)
ON CONFLICT (reference) DO NOTHING
"""
_SETTLED: Final = ("settled", "failed", "aborted", "orphaned")


async def correct_late(tx: Tx, measured: Sequence[LlmCallFinished]) -> int:
    """Book the difference to what was estimated, beside the settled rows; how many there were.

    A settled row is never changed; a call that was settled as measured, or was corrected already
    (the provider's bill knows best), needs nothing.
    """
    ids, costs = [e.call_id for e in measured], [e.cost_exact for e in measured]
    values = (ids, costs, list(_SETTLED), "measured while the database was away")
    return (await tx.exec_driver_sql(CORRECT, values)).rowcount
