"""The SQL of runs that go on from each other."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import text

from callsheet.db.transaction import Read
from callsheet.events.union import AnyRunEvent, parse_event
from callsheet.kit.errors import JournalGone

# Deltas are no part of what a run has done, and most of its journal.
_EVENTS = text("""
WITH RECURSIVE chain AS (
  SELECT id, continues_run_id, 0 AS back FROM runs WHERE id = :run_id
  UNION ALL
  SELECT r.id, r.continues_run_id, c.back + 1
  FROM runs r JOIN chain c ON r.id = c.continues_run_id
)
SELECT c.id AS run_id, e.at, e.event::text AS event
FROM chain c JOIN run_events e ON e.run_id = c.id
WHERE e.event->>'kind' NOT IN ('text_delta', 'reasoning_delta', 'tool_call_args')
ORDER BY c.back DESC, e.seq
""")

_GONE = text("""
SELECT EXISTS (
  SELECT FROM runs r JOIN runs k ON k.id IN (r.id, r.root_run_id) OR k.root_run_id = r.root_run_id
  WHERE r.id = :run_id AND k.journal = 'gone')
""")

_IS_LAST = text("""
SELECT NOT EXISTS (
  SELECT 1 FROM runs later JOIN runs r ON r.id = :run_id
  WHERE later.session_id = r.session_id
    AND (later.created_at, later.id) > (r.created_at, r.id) AND NOT later.behind)
""")


_TOOLS = text("""
SELECT coalesce(r.input->'tools', first.input->'tools', '[]')
FROM runs r LEFT JOIN runs first ON first.id = r.root_run_id WHERE r.id = :run_id
""")


@dataclass(frozen=True, slots=True)
class ChainedEvent:
    """One event of a chain of runs, with the run that it is of."""

    run_id: UUID
    at: datetime
    event: AnyRunEvent


async def chain_events(tx: Read, run_id: UUID) -> list[ChainedEvent]:
    """What the run and those that it goes on from have journaled, the oldest first; no deltas.

    Raises:
        JournalGone: not all of it is kept any more.
    """
    if (await tx.execute(_GONE, {"run_id": run_id})).scalar_one():
        raise JournalGone("What the run has done is no longer kept.")
    rows = (await tx.execute(_EVENTS, {"run_id": run_id})).all()
    return [ChainedEvent(row.run_id, row.at, parse_event(row.event)) for row in rows]


async def is_last_run(tx: Read, run_id: UUID) -> bool:
    """Whether its session has had no run after it; one that is still behind it does not count."""
    return bool((await tx.execute(_IS_LAST, {"run_id": run_id})).scalar_one())


async def tools_brought(tx: Read, run_id: UUID) -> list[dict[str, Any]]:
    """The client's tools that the run was asked for with, or the first run of its chain."""
    found: list[dict[str, Any]] = (await tx.execute(_TOOLS, {"run_id": run_id})).scalar_one()
    return found
