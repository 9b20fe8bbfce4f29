"""Usage that became known after its call was settled by an estimate."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import text

from callsheet.db.transaction import Tx
from callsheet.events.call import LlmCallFinished

_CORRECT = text("""
INSERT INTO cost_adjustments (call_id, day, factory, model_code, amount, currency, reason,
                              reference, created_by)
SELECT c.id, (c.started_at AT TIME ZONE 'UTC')::date, c.factory, c.model_code,
       :cost - c.cost_exact, c.currency,
       CASE WHEN c.error_code = 'not_booked' THEN 'more than its session can hold'
            ELSE 'measured while the database was away' END,
       'late:' || c.id, 'callsheet'
FROM llm_calls c
WHERE c.id = CAST(:call_id AS uuid) AND c.status <> 'open' AND c.usage_source <> 'provider'
  AND c.cost_exact <> :cost
  AND NOT EXISTS (SELECT FROM cost_adjustments a WHERE a.call_id = c.id)
ON CONFLICT (reference) DO NOTHING
""")


async def correct_late(tx: Tx, measured: Iterable[LlmCallFinished]) -> int:
    """Book the difference to what was estimated, beside the settled rows; how many there were.

    A settled row is never changed; a call that was settled as measured, or was corrected already
    (the provider's bill knows best), needs nothing.
    """
    corrected = 0
    for event in measured:
        values = {"call_id": event.call_id, "cost": event.cost_exact}
        corrected += (await tx.execute(_CORRECT, values)).rowcount
    return corrected
