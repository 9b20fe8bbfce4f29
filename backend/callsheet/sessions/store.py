"""The SQL of sessions, apart from what the journal writes while a run is under way."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

from sqlalchemy import ColumnElement, Select, exists, func, select, text, tuple_, update
from sqlalchemy.engine import Row

from callsheet.db.states import allowed
from callsheet.db.tables.agent_chat_message import AgentChatMessage
from callsheet.db.tables.agent_chat_session import AgentChatSession
from callsheet.db.tables.session_settings import SessionSettingsRow
from callsheet.db.transaction import Read, Tx
from callsheet.kit.pages import Page, PageRequest, decode_cursor, encode_cursor
from callsheet.sessions.session import SessionRecord
from callsheet.sessions.shown import SHOWN
from callsheet.sessions.states import SESSION

_T = AgentChatSession.__table__.c
_S = SessionSettingsRow.__table__.c
_M = AgentChatMessage.__table__.c
MOST_SEARCHED: Final = 1_000
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
    _S.pinned_at,
    func.coalesce(_S.mode, "full").label("mode"),
    _S.persona,
    _S.budget,
)
_SESSIONS = AgentChatSession.__table__.outerjoin(SessionSettingsRow.__table__)

_CLAIM = text("""
INSERT INTO sessions (id, user_id, title) VALUES (:id, :user_id, :title)
ON CONFLICT (id) DO UPDATE SET updated_at = now()
WHERE sessions.user_id = excluded.user_id AND sessions.deleted_at IS NULL
RETURNING title, total_tokens, total_cost
""")


_LOCK = text("SELECT id FROM sessions WHERE id = :id FOR NO KEY UPDATE")
_STATUS = text(f"""
UPDATE sessions SET status = CAST(:status AS session_status), updated_at = now()
WHERE id = :id AND {allowed(SESSION, "status::text", "CAST(:status AS text)")}
""")  # noqa: S608 - our own words, not values


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


async def lock_session(tx: Tx, session_id: UUID) -> None:
    """Hold the session's row, whoever's it is, until the transaction ends."""
    await tx.execute(_LOCK, {"id": session_id})


async def set_status(tx: Tx, session_id: UUID, status: str) -> None:
    """Give the session the status that follows from its last run; its row is held."""
    await tx.execute(_STATUS, {"id": session_id, "status": status})


async def find_session(tx: Read, session_id: UUID, user_id: UUID) -> SessionRecord | None:
    """The user's session, unless it is deleted."""
    query = _of_user(user_id).where(_T.id == session_id)
    row = (await tx.execute(query)).first()
    return None if row is None else _record(row)


async def recent_session(tx: Read, user_id: UUID) -> SessionRecord | None:
    """The user's session with the most recent activity; None where there is none."""
    query = _of_user(user_id).order_by(_T.last_activity_at.desc(), _T.id.desc()).limit(1)
    row = (await tx.execute(query)).first()
    return None if row is None else _record(row)


async def list_sessions(
    tx: Read, user_id: UUID, page: PageRequest, words: str | None = None
) -> Page[SessionRecord]:
    """The user's sessions that are not deleted: pinned ones, then most recent activity first.

    With `words` those, of the last `MOST_SEARCHED`, that have them in their title, or in what was
    said as users saw it.
    """
    query = _of_user(user_id)
    if words is not None:
        query = query.where(_T.id.in_(_last(user_id)), _says(words))
    pinned = _S.pinned_at.is_not(None)
    key = tuple_(pinned, _T.last_activity_at, _T.id)
    query = query.order_by(pinned.desc(), _T.last_activity_at.desc(), _T.id.desc())
    if page.cursor is not None:
        query = query.where(key < tuple_(*decode_cursor(page.cursor, bool, datetime, UUID)))
    rows = (await tx.execute(query.limit(page.limit + 1))).all()
    records = tuple(_record(row) for row in rows[: page.limit])
    return Page(records, _cursor(records[-1]) if len(rows) > page.limit else None)


def _of_user(user_id: UUID) -> Select[Any]:
    return (
        select(*_COLUMNS)
        .select_from(_SESSIONS)
        .where(_T.user_id == user_id, _T.deleted_at.is_(None))
    )


def _last(user_id: UUID) -> Select[Any]:
    return (
        select(_T.id)
        .where(_T.user_id == user_id, _T.deleted_at.is_(None))
        .order_by(_T.last_activity_at.desc())
        .limit(MOST_SEARCHED)
    )


def _says(words: str) -> ColumnElement[bool]:
    """Upper and lower case alike; what is a sign to LIKE stands for itself."""
    said = exists().where(
        _M.session_id == _T.id, text(SHOWN), _M.content.icontains(words, autoescape=True)
    )
    return _T.title.icontains(words, autoescape=True) | said


def _cursor(last: SessionRecord) -> str:
    return encode_cursor(last.pinned_at is not None, last.last_activity_at, last.id)


_DELETE_MESSAGES = text("""
UPDATE messages SET deleted_at = now(), updated_at = now()
WHERE session_id = :id AND deleted_at IS NULL
""")


_FORGET_SETTINGS = text("DELETE FROM session_settings WHERE session_id = :id")


async def delete_session(tx: Tx, session_id: UUID, user_id: UUID) -> bool:
    """Soft-delete the user's session with its messages; its totals stay, the money is spent.

    What was set for it is gone.
    """
    result = await tx.execute(
        update(AgentChatSession)
        .where(_T.id == session_id, _T.user_id == user_id, _T.deleted_at.is_(None))
        .values(deleted_at=func.now(), message_count=0)
    )
    if result.rowcount != 1:
        return False
    await tx.execute(_DELETE_MESSAGES, {"id": session_id})
    await tx.execute(_FORGET_SETTINGS, {"id": session_id})
    return True


def _record(row: Row[*tuple[Any, ...]]) -> SessionRecord:
    return SessionRecord(**row._asdict())
