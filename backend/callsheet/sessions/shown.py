"""What was said in a session, as its user saw it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal
from uuid import UUID

from sqlalchemy import text

from callsheet.db.transaction import Read

SHOWN: Final = """\
deleted_at IS NULL AND content <> ''
  AND coalesce(metadata->>'status', 'final') IN ('final', 'partial')
  AND (role = 'user' OR (role = 'assistant' AND metadata @> '{"visible": true}'))"""
"""What users have seen of a session's `messages`, and so what it is that was said."""

_SHOWN: Final = text(f"""
SELECT id, role, content, raw_id FROM (
SELECT *, sum(octet_length(content)) OVER (ORDER BY seq DESC) AS bytes FROM (
SELECT seq, id, role, content, metadata->>'raw_id' AS raw_id FROM messages
WHERE session_id = :session_id AND {SHOWN}
  AND (role = 'user' OR metadata->>'run_id' IS DISTINCT FROM CAST(:without_run AS text))
ORDER BY seq DESC LIMIT :limit
) AS latest) AS sized WHERE bytes <= :most_bytes ORDER BY seq DESC
""")  # noqa: S608 - our own text, not a value

_STREAMED: Final = text(f"""
SELECT id, role, content, raw_id, tool_calls, tool_call_id FROM (
SELECT *, sum(octet_length(content) + coalesce(octet_length(tool_calls::text), 0))
    OVER (ORDER BY seq DESC) AS bytes FROM (
SELECT seq, id, role,
    CASE WHEN role <> 'assistant' OR metadata @> '{{"visible": true}}' THEN content
         ELSE '' END AS content,
    metadata->>'raw_id' AS raw_id, metadata->'tool_calls' AS tool_calls,
    metadata->'tool'->>'call_id' AS tool_call_id
FROM messages
WHERE session_id = :session_id AND ({SHOWN} OR (
    deleted_at IS NULL AND coalesce(metadata->>'status', 'final') IN ('final', 'partial')
    AND (metadata ? 'tool_calls' OR metadata @> '{{"tool": {{}}}}')))
  AND seq <= (SELECT max(seq) FROM messages
              WHERE session_id = :session_id AND metadata->>'run_id' = :run_id)
ORDER BY seq DESC LIMIT :limit
) AS latest) AS sized WHERE bytes <= :most_bytes ORDER BY seq DESC
""")  # noqa: S608 - our own text, not a value


@dataclass(frozen=True, slots=True)
class ShownMessage:
    """A user's message or a visible answer; `raw_id` is the client's own spelling of its id.

    What inner agents asked tools for has no content and `tool_calls`, each with `id`, `name` and
    `arguments`; a tool's message says to which call it belongs.
    """

    id: UUID
    role: Literal["user", "assistant", "tool"]
    content: str
    raw_id: str | None = None
    tool_calls: Sequence[Mapping[str, str]] = ()
    tool_call_id: str | None = None


async def shown_messages(
    tx: Read, session_id: UUID, limit: int, most_bytes: int, without_run: UUID | None = None
) -> tuple[ShownMessage, ...]:
    """The last of them, oldest first: at most `limit`, of at most `most_bytes` of text together.

    Without the answers of one run, which come live.
    """
    values = {
        "session_id": session_id,
        "limit": limit,
        "most_bytes": most_bytes,
        "without_run": None if without_run is None else str(without_run),
    }
    rows = (await tx.execute(_SHOWN, values)).all()
    return tuple(ShownMessage(row.id, row.role, row.content, row.raw_id) for row in reversed(rows))


async def streamed_messages(
    tx: Read, session_id: UUID, run_id: UUID, limit: int, most_bytes: int
) -> tuple[ShownMessage, ...]:
    """What a client holds that saw the session's runs up to and with this one, bounded the same.

    With tools' calls and results, without what was discarded.
    """
    values = {
        "session_id": session_id,
        "run_id": str(run_id),
        "limit": limit,
        "most_bytes": most_bytes,
    }
    rows = (await tx.execute(_STREAMED, values)).all()
    return tuple(
        ShownMessage(
            row.id, row.role, row.content, row.raw_id, row.tool_calls or (), row.tool_call_id
        )
        for row in reversed(rows)
    )
