"""The SQL of sessions, apart from what the journal writes while a run is under way."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from sqlalchemy import func, select, text, update
from sqlalchemy.engine import Row

from callsheet.db.tables.agent_chat_session import AgentChatSession
from callsheet.db.transaction import Read, Tx
from callsheet.kit.pages import Page, PageRequest, decode_cursor, encode_cursor
from callsheet.sessions.session import SessionRecord

_T = AgentChatSession.__table__.c
_COLUMNS = (
    _T.id,
    _T.user_id,
    _T.title,
    _T.status,
    _T.last_activity_at,
    _T.message_count,
    _T.total_tokens,
    _T.total_cost,
    _T.created_at,
    _T.updated_at,
)

_CLAIM = text("""
INSERT INTO sessions (id, user_id, title) VALUES (:id, :user_id, :title)
ON CONFLICT (id) DO UPDATE SET updated_at = now()
WHERE sessions.user_id = excluded.user_id AND sessions.deleted_at IS NULL
RETURNING title, total_tokens, total_cost
""")


@dataclass(frozen=True, slots=True)
class Claimed:
    """A session whose row is held: its title, None where it has none, and its totals so far."""

    title: str | None
    total_tokens: int
    total_cost: Decimal


async def claim_session(
    tx: Tx, session_id: UUID, user_id: UUID, new_title: str | None = None
) -> Claimed | None:
    """Make the session or take the user's own, and hold its row until the transaction ends.

    None where it is another user's, or deleted. `new_title` is that of a session that is made.
    """
    values = {"id": session_id, "user_id": user_id, "title": new_title}
    row = (await tx.execute(_CLAIM, values)).first()
    return None if row is None else Claimed(row.title, row.total_tokens, row.total_cost)


async def set_title(tx: Tx, session_id: UUID, title: str) -> None:
    """Give the session a title."""
    await tx.execute(update(AgentChatSession).where(_T.id == session_id).values(title=title))


async def await_run(tx: Tx, session_id: UUID) -> None:
    """A run of the session was let in and has not begun; the session's lock is held."""
    await tx.execute(update(AgentChatSession).where(_T.id == session_id).values(status="pending"))


async def find_session(tx: Read, session_id: UUID, user_id: UUID) -> SessionRecord | None:
    """The user's session, unless it is deleted."""
    query = select(*_COLUMNS).where(
        _T.id == session_id, _T.user_id == user_id, _T.deleted_at.is_(None)
    )
    row = (await tx.execute(query)).first()
    return None if row is None else _record(row)


async def list_sessions(tx: Read, user_id: UUID, page: PageRequest) -> Page[SessionRecord]:
    """The user's sessions that are not deleted, most recent activity first."""
    query = (
        select(*_COLUMNS)
        .where(_T.user_id == user_id, _T.deleted_at.is_(None))
        .order_by(_T.last_activity_at.desc(), _T.id.desc())
        .limit(page.limit + 1)
    )
    if page.cursor is not None:
        at, session_id = decode_cursor(page.cursor, datetime, UUID)
        query = query.where(
            (_T.last_activity_at < at) | ((_T.last_activity_at == at) & (_T.id < session_id))
        )
    rows = (await tx.execute(query)).all()
    records = tuple(_record(row) for row in rows[: page.limit])
    more = len(rows) > page.limit
    cursor = encode_cursor(records[-1].last_activity_at, records[-1].id) if more else None
    return Page(records, cursor)


async def rename_session(tx: Tx, session_id: UUID, user_id: UUID, title: str) -> bool:
    """Give the user's session another title; False where there is none of that id."""
    result = await tx.execute(
        update(AgentChatSession)
        .where(_T.id == session_id, _T.user_id == user_id, _T.deleted_at.is_(None))
        .values(title=title)
    )
    return result.rowcount == 1


_DELETE_MESSAGES = text("""
UPDATE messages SET deleted_at = now(), updated_at = now()
WHERE session_id = :id AND deleted_at IS NULL
""")


async def delete_session(tx: Tx, session_id: UUID, user_id: UUID) -> bool:
    """Soft-delete the user's session with its messages; its totals stay, the money is spent."""
    result = await tx.execute(
        update(AgentChatSession)
        .where(_T.id == session_id, _T.user_id == user_id, _T.deleted_at.is_(None))
        .values(deleted_at=func.now(), message_count=0)
    )
    if result.rowcount != 1:
        return False
    await tx.execute(_DELETE_MESSAGES, {"id": session_id})
    return True


def _record(row: Row[*tuple[Any, ...]]) -> SessionRecord:
    return SessionRecord(**row._asdict())
