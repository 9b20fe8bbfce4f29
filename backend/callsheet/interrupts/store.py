"""The SQL of interrupts, apart from what the journal writes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import func, or_, select, text
from sqlalchemy.engine import Row

from callsheet.db.tables.interrupt import InterruptRow
from callsheet.db.transaction import Read, Tx
from callsheet.interrupts.answer import Answer
from callsheet.interrupts.interrupt import InterruptRecord
from callsheet.kit.json import encode
from callsheet.kit.pages import Page, PageRequest, decode_cursor, encode_cursor

_T = InterruptRow.__table__.c
_COLUMNS = (
    _T.id,
    _T.run_id,
    _T.session_id,
    _T.user_id,
    _T.place,
    _T.reason,
    _T.message,
    _T.tool_call_id,
    _T.tool,
    _T.response_schema,
    _T.detail,
    _T.status,
    _T.created_at,
    _T.expires_at,
    _T.answered_at,
    _T.answered_by,
    _T.answered_run_id,
    _T.answer_status,
    _T.payload,
)

_ANSWER = text("""
UPDATE interrupts i
SET status = 'answered', answered_at = now(), answered_by = :user_id, answered_run_id = :run_id,
    answer_status = a.status, payload = CAST(a.payload AS jsonb), updated_at = now()
FROM unnest(CAST(:ids AS uuid[]), CAST(:statuses AS text[]), CAST(:payloads AS text[]))
  AS a(id, status, payload)
WHERE i.id = a.id AND i.status = 'open'
""")

_CLOSE = text("""
UPDATE interrupts SET status = :status, updated_at = now()
WHERE run_id = :run_id AND status = 'open'
""")

_EXPIRED = text("""
SELECT DISTINCT run_id, session_id FROM interrupts
WHERE status = 'open' AND expires_at <= :now
ORDER BY run_id LIMIT :most
""")


async def find_interrupt(tx: Read, interrupt_id: UUID, user_id: UUID) -> InterruptRecord | None:
    """The user's interrupt of that id."""
    query = select(*_COLUMNS).where(_T.id == interrupt_id, _T.user_id == user_id)
    row = (await tx.execute(query)).first()
    return None if row is None else _record(row)


async def list_open(
    tx: Read, user_id: UUID, session_id: UUID | None, page: PageRequest
) -> Page[InterruptRecord]:
    """The user's open interrupts, newest first; of one session, or of all."""
    query = (
        select(*_COLUMNS)
        .where(_T.user_id == user_id, _T.status == "open", _T.expires_at > func.now())
        .order_by(_T.created_at.desc(), _T.id.desc())
        .limit(page.limit + 1)
    )
    if session_id is not None:
        query = query.where(_T.session_id == session_id)
    if page.cursor is not None:
        created_at, id_ = decode_cursor(page.cursor, datetime, UUID)
        query = query.where(
            (_T.created_at < created_at) | ((_T.created_at == created_at) & (_T.id < id_))
        )
    rows = (await tx.execute(query)).all()
    records = tuple(_record(row) for row in rows[: page.limit])
    more = len(rows) > page.limit
    cursor = encode_cursor(records[-1].created_at, records[-1].id) if more else None
    return Page(records, cursor)


async def of_session(
    tx: Read, session_id: UUID, ids: Sequence[UUID] = (), calls: Sequence[str] = ()
) -> list[InterruptRecord]:
    """What is open in the session, and what of it has one of these ids or tool calls."""
    query = (
        select(*_COLUMNS)
        .where(
            _T.session_id == session_id,
            or_(_T.status == "open", _T.id.in_(ids), _T.tool_call_id.in_(calls)),
        )
        .order_by(_T.created_at, _T.place)
    )
    return [_record(row) for row in await tx.execute(query)]


async def answered_for(tx: Read, run_ids: Collection[UUID]) -> list[InterruptRecord]:
    """What was answered for these runs to go on with, in the order in which it was asked."""
    query = select(*_COLUMNS).where(_T.answered_run_id.in_(run_ids)).order_by(_T.place)
    return [_record(row) for row in await tx.execute(query)]


async def answer(tx: Tx, answers: Mapping[UUID, Answer], user_id: UUID, run_id: UUID) -> int:
    """Keep what was answered and which run goes on with it; the session's lock is held.

    How many of them were still open.
    """
    result = await tx.execute(
        _ANSWER,
        {
            "ids": list(answers),
            "statuses": [each.status for each in answers.values()],
            "payloads": [encode(each.payload).decode() for each in answers.values()],
            "user_id": user_id,
            "run_id": run_id,
        },
    )
    return result.rowcount


async def close(tx: Tx, run_id: UUID, status: str = "closed") -> None:
    """Nobody can answer any more what the run waited for."""
    await tx.execute(_CLOSE, {"run_id": run_id, "status": status})


async def expired(tx: Read, now: datetime, most: int) -> list[tuple[UUID, UUID]]:
    """Runs that wait for an answer that comes too late by now, each with its session."""
    rows = await tx.execute(_EXPIRED, {"now": now, "most": most})
    return [(row.run_id, row.session_id) for row in rows]


def _record(row: Row[*tuple[Any, ...]]) -> InterruptRecord:
    return InterruptRecord(**row._asdict())
