"""The SQL of messages, apart from what the journal writes while a run is under way."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from sqlalchemy import select, text
from sqlalchemy.engine import Row

from callsheet.db.tables.agent_chat_message import AgentChatMessage
from callsheet.db.transaction import Read, Tx
from callsheet.kit.json import encode
from callsheet.kit.pages import Page, PageRequest, decode_cursor, encode_cursor
from callsheet.sessions.message import MessageRecord

_T = AgentChatMessage.__table__.c
_COLUMNS = (
    _T.id,
    _T.session_id,
    _T.seq,
    _T.role,
    _T.content,
    _T.model_code,
    _T.tool_name,
    _T.input_tokens,
    _T.output_tokens,
    _T.cost,
    _T.currency,
    _T.latency_ms,
    _T.created_at,
    _T.metadata.label("metadata"),
)

_ADD_USER = text("""
WITH added AS (
  INSERT INTO messages (id, session_id, seq, role, content, currency, metadata)
  SELECT :id, :session_id,
         coalesce((SELECT max(seq) FROM messages WHERE session_id = :session_id), 0) + 1,
         'user', :content, :currency, CAST(:metadata AS jsonb)
  ON CONFLICT (id) DO NOTHING
  RETURNING session_id, seq
)
UPDATE sessions s SET message_count = message_count + 1, last_activity_at = now(),
                      updated_at = now()
FROM added WHERE s.id = added.session_id
RETURNING added.seq
""")

_STORED_AS = text("""
SELECT id FROM messages
WHERE session_id = :session_id AND role = 'user' AND deleted_at IS NULL
  AND (id = :id OR metadata->>'raw_id' = :raw_id)
ORDER BY seq DESC LIMIT 1
""")

_EDIT = text("""
UPDATE messages
SET content = :content, updated_at = now(),
    metadata = coalesce(metadata, '{}') - 'sanitized' || CAST(:metadata AS jsonb)
      || jsonb_build_object(
           'earlier', coalesce(metadata->'earlier', '[]') || to_jsonb(content))
WHERE id = :id AND content <> :content
""")

_TAKE_BACK = text("""
WITH here AS (
  SELECT session_id, seq FROM messages WHERE id = :id
), gone AS (
  UPDATE messages m SET deleted_at = now(), updated_at = now()
  FROM here WHERE m.session_id = here.session_id AND m.seq > here.seq AND m.deleted_at IS NULL
  RETURNING m.id
)
UPDATE sessions s
SET message_count = s.message_count - (SELECT count(*) FROM gone), last_activity_at = now(),
    updated_at = now()
FROM here WHERE s.id = here.session_id
""")

_LOCK = text("SELECT id FROM sessions WHERE id = :id FOR NO KEY UPDATE")

_DELETE = text("""
WITH gone AS (
  UPDATE messages SET deleted_at = now(), updated_at = now()
  WHERE id = :id AND session_id = :session_id AND deleted_at IS NULL RETURNING session_id
)
UPDATE sessions s SET message_count = message_count - 1, updated_at = now()
FROM gone WHERE s.id = gone.session_id
""")


async def add_user_message(
    tx: Tx,
    message_id: UUID,
    session_id: UUID,
    content: str,
    currency: str,
    metadata: Mapping[str, Any],
) -> int | None:
    """Store what the user said and give its `seq`; the session's lock is held by the caller.

    None where a message of that id is there already.
    """
    added = await tx.execute(
        _ADD_USER,
        {
            "id": message_id,
            "session_id": session_id,
            "content": content,
            "currency": currency,
            "metadata": encode(metadata).decode(),
        },
    )
    seq: int | None = added.scalar_one_or_none()
    return seq


async def stored_as(tx: Read, session_id: UUID, message_id: UUID, raw_id: str) -> UUID | None:
    """The session's user message of that id, or that its client calls so; not a deleted one."""
    values = {"session_id": session_id, "id": message_id, "raw_id": raw_id}
    found: UUID | None = (await tx.execute(_STORED_AS, values)).scalar_one_or_none()
    return found


async def take_again(tx: Tx, message_id: UUID, content: str, metadata: Mapping[str, Any]) -> None:
    """A user's message that is asked anew, as it was or edited; the caller holds the lock.

    What came after it is soft-deleted: paid for, and said no longer. The text before an edit is
    kept in `metadata.earlier`, oldest first.
    """
    beside = encode(metadata).decode()
    await tx.execute(_EDIT, {"id": message_id, "content": content, "metadata": beside})
    await tx.execute(_TAKE_BACK, {"id": message_id})


async def list_messages(tx: Read, session_id: UUID, page: PageRequest) -> Page[MessageRecord]:
    """The session's messages that are not deleted, oldest first."""
    query = (
        select(*_COLUMNS)
        .where(_T.session_id == session_id, _T.deleted_at.is_(None))
        .order_by(_T.seq)
        .limit(page.limit + 1)
    )
    if page.cursor is not None:
        (seq,) = decode_cursor(page.cursor, int)
        query = query.where(_T.seq > seq)
    rows = (await tx.execute(query)).all()
    records = tuple(_record(row) for row in rows[: page.limit])
    return Page(records, encode_cursor(records[-1].seq) if len(rows) > page.limit else None)


async def delete_message(tx: Tx, session_id: UUID, message_id: UUID) -> bool:
    """Soft-delete one message; False where the session has none of that id.

    The session is locked first, as the journal does it: the other way round the two would wait
    for each other.
    """
    await tx.execute(_LOCK, {"id": session_id})
    result = await tx.execute(_DELETE, {"id": message_id, "session_id": session_id})
    return result.rowcount == 1


def _record(row: Row[*tuple[Any, ...]]) -> MessageRecord:
    values = row._asdict()
    values["metadata"] = values["metadata"] or {}
    return MessageRecord(**values)
