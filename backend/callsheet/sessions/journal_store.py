"""Messages as a run writes them: many at once, on the journal's own connection.

The caller holds the locks of the sessions concerned (`lock_sessions`), which is what makes
`seq` gap-free and in the order of the journal.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final
from uuid import UUID

from callsheet.db.joined import Statements
from callsheet.db.states import allowed
from callsheet.kit.json import encode
from callsheet.sessions.new_message import FinishedMessage, NewMessage
from callsheet.sessions.states import MESSAGE, SESSION

_FOLLOWS: Final = allowed(SESSION, "s.status::text", "n.status")
_WAS: Final = "coalesce(m.metadata->>'status', 'streaming')"
_BECOMES: Final = "f.metadata::jsonb->>'status'"

_LOCK = "SELECT id FROM sessions WHERE id = ANY($1::uuid[]) ORDER BY id FOR NO KEY UPDATE"

_ADD = f"""
WITH given AS (
  SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[],
                       $7::int[], $8::text[]) WITH ORDINALITY
    AS g(id, session_id, role, content, model_code, tool_name, latency_ms, metadata, place)
), fresh AS (
  SELECT g.* FROM given g WHERE NOT EXISTS (SELECT 1 FROM messages m WHERE m.id = g.id)
), added AS (
  INSERT INTO messages (id, session_id, seq, role, content, model_code, tool_name, latency_ms,
                        currency, metadata)
  SELECT f.id, f.session_id,
         coalesce((SELECT max(seq) FROM messages m WHERE m.session_id = f.session_id), 0)
           + row_number() OVER (PARTITION BY f.session_id ORDER BY f.place),
         f.role::message_role, f.content, f.model_code, f.tool_name, f.latency_ms, $9::text,
         f.metadata::jsonb
  FROM fresh f
  RETURNING session_id
)
UPDATE sessions s
SET message_count = s.message_count + n.added, last_activity_at = now(), updated_at = now(),
    status = CASE WHEN {_FOLLOWS} THEN n.status::session_status ELSE s.status END
FROM (
  SELECT session_id, sum(added) AS added, max(status) AS status
  FROM (
    SELECT session_id, 1 AS added, NULL AS status FROM added
    UNION ALL
    SELECT t.id, 0, t.status FROM unnest($10::uuid[], $11::text[]) AS t(id, status)
  ) changed GROUP BY session_id
) n
WHERE s.id = n.session_id
"""  # noqa: S608 - our own words, not values

SEQS: Final = "SELECT jsonb_object_agg(id, seq) FROM messages WHERE id = ANY($1::uuid[])"
"""The `seq` of each message of a list of ids, as one JSON object."""

_FINISH = f"""
UPDATE messages m
SET content = f.content, metadata = coalesce(m.metadata, '{{}}') || f.metadata::jsonb,
    latency_ms = coalesce(f.latency_ms, m.latency_ms), updated_at = now()
FROM unnest($1::uuid[], $2::text[], $3::text[], $4::int[]) AS f(id, content, metadata, latency_ms)
WHERE m.id = f.id AND ({_WAS} = {_BECOMES} OR {allowed(MESSAGE, _WAS, _BECOMES)})
"""  # noqa: S608 - our own words, not values

_STATUS = f"""
UPDATE sessions s
SET status = n.status::session_status, last_activity_at = now(), updated_at = now()
FROM unnest($1::uuid[], $2::text[]) AS n(id, status)
WHERE s.id = n.id AND (s.status::text = n.status OR {_FOLLOWS})
"""  # noqa: S608 - our own words, not values


async def lock_sessions(tx: Statements, session_ids: Iterable[UUID]) -> None:
    """Hold the rows of these sessions until the transaction ends; always in the same order."""
    await tx.execute(_LOCK, list(session_ids))


async def add_messages(
    tx: Statements,
    messages: Sequence[NewMessage],
    currency: str,
    statuses: Sequence[tuple[UUID, str]] = (),
) -> None:
    """Store the messages in this order; `SEQS` tells their places.

    A message that stands there already keeps its place, so that the same write can be repeated.
    `statuses` as in `set_statuses`: each session is written once, not twice.
    """
    last = dict(statuses)
    await tx.execute(
        _ADD,
        [m.id for m in messages],
        [m.session_id for m in messages],
        [m.role for m in messages],
        [m.content for m in messages],
        [m.model_code for m in messages],
        [m.tool_name for m in messages],
        [m.latency_ms for m in messages],
        [encode(m.metadata).decode() for m in messages],
        currency,
        list(last),
        list(last.values()),
    )


async def finish_messages(tx: Statements, messages: Sequence[FinishedMessage]) -> None:
    """Give streaming messages their whole content; of several for one message the last holds."""
    last: dict[str, FinishedMessage] = {}
    for message in messages:
        before = last.get(message.id)
        metadata = {**(before.metadata if before else {}), **message.metadata}
        last[message.id] = replace(message, metadata=metadata)
    await tx.execute(
        _FINISH,
        list(last),
        [m.content for m in last.values()],
        [encode(m.metadata).decode() for m in last.values()],
        [m.latency_ms for m in last.values()],
    )


async def set_statuses(tx: Statements, statuses: Sequence[tuple[UUID, str]]) -> None:
    """Move sessions to the status that follows from their last run; the last given one holds."""
    last = dict(statuses)
    await tx.execute(_STATUS, list(last), list(last.values()))
