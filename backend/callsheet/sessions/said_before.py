"""What was said in a session before a message."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from sqlalchemy import text

from callsheet.db.transaction import Read
from callsheet.sessions.shown import SHOWN

_NOTHING: Final = "SELECT NULL::text WHERE false"
_BESIDE: Final = "beside"
_SAID: Final = f"""
SELECT seq, role::text AS role, content FROM messages
WHERE session_id = :session_id AND {SHOWN}
  AND seq < (SELECT seq FROM messages WHERE id = :message_id)
ORDER BY seq DESC LIMIT :limit
"""  # noqa: S608 - our own text, not a value


@dataclass(frozen=True, slots=True)
class SaidBefore:
    """Role and text of each message, oldest first; `beside` is what was read along with them."""

    messages: tuple[tuple[str, str], ...]
    beside: str | None


class ReadBefore:
    """Reads what was said before a message, and one text more, on one way to the database.

    `beside` is a query that gives that text or no row, of `:session_id` and `:message_id`. It
    comes from whoever knows both rooms.
    """

    def __init__(self, beside: str = _NOTHING) -> None:
        self._query = text(f"""
        SELECT role, content FROM (
          ({_SAID}) UNION ALL SELECT 0, '{_BESIDE}', found.it FROM ({beside}) AS found (it)
        ) AS both_of_them ORDER BY seq
        """)  # noqa: S608 - our own text, not a value

    async def __call__(
        self, tx: Read, session_id: UUID, message_id: UUID, limit: int
    ) -> SaidBefore:
        """The last `limit` user messages and visible answers; those without text are left out."""
        values = {"session_id": session_id, "message_id": message_id, "limit": limit}
        rows = (await tx.execute(self._query, values)).all()
        beside = next((row.content for row in rows if row.role == _BESIDE), None)
        said = tuple((row.role, row.content) for row in rows if row.role != _BESIDE)
        return SaidBefore(said, beside)
