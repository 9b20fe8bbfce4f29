"""The SQL that forgets what was asked and said in old runs."""

from __future__ import annotations

from sqlalchemy import text

from callsheet.db.transaction import Tx

# That a budget was extended, and of what, still counts.
_FORGET = text("""
UPDATE interrupts i
SET message = '', response_schema = NULL, updated_at = now(),
    detail = CASE WHEN i.reason = 'budget' THEN i.detail ELSE '{}' END,
    payload = CASE WHEN i.reason = 'budget' THEN i.payload END
FROM runs r
WHERE r.id = i.run_id AND r.journal = 'gone' AND i.status <> 'open' AND i.message <> ''
""")


async def forget_words(tx: Tx) -> None:
    """Remove the words of interrupts whose runs' journals are removed; the rows stay."""
    await tx.execute(_FORGET)
