"""The SQL of artifacts; another user's are never read."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import select, text
from sqlalchemy.engine import Row

from callsheet.artifacts.artifact import ArtifactRecord, NewArtifact
from callsheet.db.tables.artifact import ArtifactRow
from callsheet.db.transaction import Read, Tx
from callsheet.kit.pages import Page, PageRequest, decode_cursor, encode_cursor

_T = ArtifactRow.__table__.c
_COLUMNS = (
    _T.id,
    _T.session_id,
    _T.run_id,
    _T.tool_call_id,
    _T.name,
    _T.media_type,
    _T.size_bytes,
    _T.sha256,
    _T.created_at,
)

# Whoever holds the session's row is alone in adding to it, and nobody deletes it meanwhile.
_LOCK = text("""
SELECT s.id FROM sessions s JOIN runs r ON r.session_id = s.id
WHERE s.id = :session_id AND s.user_id = :user_id AND s.deleted_at IS NULL
  AND r.id = :run_id AND r.finished_at IS NULL
FOR NO KEY UPDATE OF s
""")

_KEPT = text("""
SELECT count(*) AS files, coalesce(sum(size_bytes), 0)::bigint AS bytes
FROM artifacts WHERE session_id = :session_id AND deleted_at IS NULL
""")

_ADD = text("""
INSERT INTO artifacts (id, session_id, user_id, run_id, tool_call_id, name, media_type, size_bytes,
                       sha256)
VALUES (:id, :session_id, :user_id, :run_id, :tool_call_id, :name, :media_type, :size_bytes,
        :sha256)
RETURNING id, session_id, run_id, tool_call_id, name, media_type, size_bytes, sha256, created_at
""")

_DELETE = text("""
UPDATE artifacts SET deleted_at = now() WHERE session_id = :session_id AND deleted_at IS NULL
""")

_DELETED = text("SELECT id FROM artifacts WHERE deleted_at < :before LIMIT :limit")

_FORGET = text("DELETE FROM artifacts WHERE id = ANY(CAST(:ids AS uuid[]))")

_KNOWN = text("SELECT id FROM artifacts WHERE id = ANY(CAST(:ids AS uuid[]))")


@dataclass(frozen=True, slots=True)
class Kept:
    """What a session has already."""

    count: int
    size_bytes: int


async def lock_for(tx: Tx, new: NewArtifact) -> bool:
    """Hold the session of the user's run until the transaction ends.

    False where the session is gone or the run has ended: nothing is kept for it any more.
    """
    values = {"session_id": new.session_id, "user_id": new.user_id, "run_id": new.run_id}
    return (await tx.execute(_LOCK, values)).first() is not None


async def find_same(tx: Read, new: NewArtifact) -> ArtifactRecord | None:
    """The one that the same call has made already, of the same name and the same bytes."""
    query = select(*_COLUMNS).where(
        _T.session_id == new.session_id,
        _T.tool_call_id == new.tool_call_id,
        _T.name == new.name,
        _T.sha256 == new.sha256,
    )
    row = (await tx.execute(query)).first()
    return None if row is None else _record(row)


async def kept_of(tx: Read, session_id: UUID) -> Kept:
    """How many files of how many bytes the session has."""
    row = (await tx.execute(_KEPT, {"session_id": session_id})).one()
    return Kept(row.files, row.bytes)


async def add_artifact(tx: Tx, new: NewArtifact) -> ArtifactRecord:
    """Store it; the session is held, and has none that is the same."""
    return _record((await tx.execute(_ADD, asdict(new))).one())


async def find_artifact(tx: Read, artifact_id: UUID, user_id: UUID) -> ArtifactRecord | None:
    """The user's artifact, unless it is deleted."""
    query = select(*_COLUMNS).where(
        _T.id == artifact_id, _T.user_id == user_id, _T.deleted_at.is_(None)
    )
    row = (await tx.execute(query)).first()
    return None if row is None else _record(row)


async def find_in_session(
    tx: Read, session_id: UUID, user_id: UUID, *, id_: UUID | None = None, name: str = ""
) -> ArtifactRecord | None:
    """The user's artifact of that session with the id, or else the newest of that name."""
    wanted = _T.name == name if id_ is None else _T.id == id_
    query = (
        select(*_COLUMNS)
        .where(_T.session_id == session_id, _T.user_id == user_id, wanted, _T.deleted_at.is_(None))
        .order_by(_T.created_at.desc(), _T.id.desc())
        .limit(1)
    )
    row = (await tx.execute(query)).first()
    return None if row is None else _record(row)


async def list_artifacts(tx: Read, session_id: UUID, page: PageRequest) -> Page[ArtifactRecord]:
    """Those of a session that the caller knows to be the user's, newest first."""
    query = (
        select(*_COLUMNS)
        .where(_T.session_id == session_id, _T.deleted_at.is_(None))
        .order_by(_T.created_at.desc(), _T.id.desc())
        .limit(page.limit + 1)
    )
    if page.cursor is not None:
        at, id_ = decode_cursor(page.cursor, datetime, UUID)
        query = query.where((_T.created_at < at) | ((_T.created_at == at) & (_T.id < id_)))
    rows = (await tx.execute(query)).all()
    records = tuple(_record(row) for row in rows[: page.limit])
    more = len(rows) > page.limit
    return Page(records, encode_cursor(records[-1].created_at, records[-1].id) if more else None)


async def delete_of_session(tx: Tx, session_id: UUID) -> None:
    """Soft-delete all of a session; the bytes are removed later."""
    await tx.execute(_DELETE, {"session_id": session_id})


async def deleted_before(tx: Read, before: datetime, limit: int) -> list[UUID]:
    """At most `limit` that were deleted before that moment."""
    rows = await tx.execute(_DELETED, {"before": before, "limit": limit})
    return list(rows.scalars())


async def forget(tx: Tx, artifact_ids: Collection[UUID]) -> None:
    """Remove the rows; the bytes are gone."""
    await tx.execute(_FORGET, {"ids": list(artifact_ids)})


async def known_of(tx: Read, artifact_ids: Collection[UUID]) -> frozenset[UUID]:
    """Which of them have a row."""
    rows = await tx.execute(_KNOWN, {"ids": list(artifact_ids)})
    return frozenset(rows.scalars())


def _record(row: Row[*tuple[Any, ...]]) -> ArtifactRecord:
    return ArtifactRecord(**row._asdict())
