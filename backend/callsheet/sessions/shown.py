"""What was said in a session, as its user saw it."""

from __future__ import annotations

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


@dataclass(frozen=True, slots=True)
class ShownMessage:
    """A user's message or a visible answer; `raw_id` is the client's own spelling of its id."""

    id: UUID
    role: Literal["user", "assistant"]
    content: str
    raw_id: str | None = None


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
