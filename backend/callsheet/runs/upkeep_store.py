"""The SQL that makes journals of ended runs smaller, and removes old ones."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from sqlalchemy import text

from callsheet.db.transaction import Read, Tx
from callsheet.runs.event_store import read_rows
from callsheet.runs.packed import pack

_SPACE = 0x4353554B
_PAGE = 5_000

_LOCK = text("SELECT pg_try_advisory_xact_lock(:space)")

_WHOLE = text("""
SELECT id FROM runs
WHERE journal = 'whole' AND finished_at < :before AND NOT id = ANY(CAST(:but AS uuid[]))
ORDER BY finished_at LIMIT 1
""")

_UPDATE = text("""
UPDATE run_events e SET event = p.event::jsonb
FROM unnest(CAST(:last AS int[]), CAST(:events AS text[])) AS p(seq, event)
WHERE e.run_id = :run_id AND e.seq = p.seq
""")

_DELETE = text("""
DELETE FROM run_events e
USING unnest(CAST(:first AS int[]), CAST(:last AS int[])) AS p(first, last)
WHERE e.run_id = :run_id AND e.seq >= p.first AND e.seq < p.last
""")

_MARK = text("UPDATE runs SET journal = 'packed' WHERE id = :run_id")

# What a run has done is read from all the runs of its chain.
_FORGET = text("""
WITH old AS (
    SELECT id FROM runs r
    WHERE journal IN ('whole', 'packed') AND finished_at < :before AND NOT EXISTS (
        SELECT FROM runs later
        WHERE later.root_run_id = coalesce(r.root_run_id, r.id)
          AND (later.finished_at IS NULL OR later.finished_at >= :before))
    ORDER BY finished_at LIMIT :limit
), gone AS (
    DELETE FROM run_events WHERE run_id IN (SELECT id FROM old)
)
UPDATE runs SET journal = 'gone' WHERE id IN (SELECT id FROM old) RETURNING id
""")

_FORGET_DELETED = text("""
WITH old AS (
    SELECT r.id FROM sessions s JOIN runs r ON r.session_id = s.id
    WHERE s.deleted_at < :before AND r.journal IN ('whole', 'packed')
      AND r.status NOT IN ('queued', 'running')
    LIMIT :limit
), gone AS (
    DELETE FROM run_events WHERE run_id IN (SELECT id FROM old)
)
UPDATE runs SET journal = 'gone' WHERE id IN (SELECT id FROM old) RETURNING id
""")


async def is_alone(tx: Tx) -> bool:
    """Whether no other process is at it; this one is, until the transaction ends."""
    return bool((await tx.execute(_LOCK, {"space": _SPACE})).scalar_one())


async def next_whole(tx: Read, before: datetime, but: Collection[UUID]) -> UUID | None:
    """The oldest run that ended before that moment and is not packed, apart from these."""
    values = {"before": before, "but": list(but)}
    run_id: UUID | None = (await tx.execute(_WHOLE, values)).scalar_one_or_none()
    return run_id


async def pack_journal(tx: Tx, run_id: UUID) -> None:
    """Pack the journal of a run that has ended."""
    after = 0
    while entries := await read_rows(tx, run_id, after, _PAGE):
        after = entries[-1].seq
        packed = list(pack(entries))
        if packed:
            last = [each.last for each in packed]
            events = [each.event for each in packed]
            await tx.execute(_UPDATE, {"run_id": run_id, "last": last, "events": events})
            first = [each.first for each in packed]
            await tx.execute(_DELETE, {"run_id": run_id, "first": first, "last": last})
    await tx.execute(_MARK, {"run_id": run_id})


async def forget_some(tx: Tx, before: datetime, limit: int) -> int:
    """Remove the journals of at most `limit` runs that ended before that moment; how many."""
    return len((await tx.execute(_FORGET, {"before": before, "limit": limit})).all())


async def forget_deleted(tx: Tx, before: datetime, limit: int) -> int:
    """The same for sessions that were deleted before that moment."""
    return len((await tx.execute(_FORGET_DELETED, {"before": before, "limit": limit})).all())
