"""The SQL that reads journals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any
from uuid import UUID

from sqlalchemy import text

from callsheet.db.transaction import Read
from callsheet.events.entry import Entry
from callsheet.events.union import parse_event
from callsheet.kit.errors import JournalGone
from callsheet.runs.packed import unpack

_AFTER = text("""
SELECT seq, at, event::text FROM run_events
WHERE run_id = :run_id AND seq > :after ORDER BY seq LIMIT :limit
""")

_LAST = text("""
SELECT status IN ('queued', 'running') AS is_active,
       (SELECT max(seq) FROM run_events WHERE run_id = r.id AND journal <> 'gone') AS seq
FROM runs AS r WHERE id = :run_id
""")

_AFTER_EACH = text("""
SELECT e.run_id, e.seq, e.at, e.event::text
FROM unnest(CAST(:run_ids AS uuid[]), CAST(:seqs AS int[])) AS run(id, seq)
CROSS JOIN LATERAL (
    SELECT * FROM run_events
    WHERE run_id = run.id AND run_events.seq > run.seq ORDER BY run_events.seq LIMIT :limit
) AS e
ORDER BY e.run_id, e.seq
""")


async def read_events(tx: Read, run_id: UUID, after: int, limit: int) -> tuple[Entry, ...]:
    """The run's journal after `after`, in order: at least `limit` entries where there are as many.

    Some more where deltas are packed.
    """
    rows = await tx.execute(_AFTER, {"run_id": run_id, "after": after, "limit": limit})
    return _entries(rows.all(), after)


async def read_rows(tx: Read, run_id: UUID, after: int, limit: int) -> tuple[Entry, ...]:
    """At most `limit` rows as they stand: packed deltas are one entry."""
    rows = await tx.execute(_AFTER, {"run_id": run_id, "after": after, "limit": limit})
    return tuple([Entry(seq, at, parse_event(event)) for seq, at, event in rows.all()])


async def last_seq_of_ended(tx: Read, run_id: UUID) -> int | None:
    """The seq of the run's terminal event; None where it has not ended, or is not there.

    Raises:
        JournalGone: it has ended, and its events are no longer kept.
    """
    found = (await tx.execute(_LAST, {"run_id": run_id})).first()
    if found is None or found.is_active:
        return None
    if found.seq is None:
        raise JournalGone("The run's events are no longer kept; the session has its messages.")
    return int(found.seq)


async def read_events_of_each(
    tx: Read, seqs: Mapping[UUID, int], limit: int
) -> Mapping[UUID, tuple[Entry, ...]]:
    """The same for several runs, each after its own seq; one without any is left out."""
    values = {"run_ids": list(seqs), "seqs": list(seqs.values()), "limit": limit}
    rows = (await tx.execute(_AFTER_EACH, values)).all()
    return {
        run_id: _entries([row[1:] for row in of_run], seqs[run_id])
        for run_id, of_run in groupby(rows, key=lambda row: row[0])
    }


def _entries(rows: Iterable[Sequence[Any]], after: int) -> tuple[Entry, ...]:
    return tuple(
        [entry for seq, at, event in rows for entry in unpack(seq, at, event) if entry.seq > after]
    )
