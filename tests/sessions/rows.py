"""Users, sessions and messages as plain rows."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from sqlalchemy import text

from callsheet.auth.principal import Principal, principal_named
from callsheet.auth.store import remember_user
from callsheet.db.transaction import Database
from callsheet.kit.ids import new_id
from callsheet.sessions.message_store import add_user_message
from callsheet.sessions.store import claim_session

MINE = principal_named("mine")
OTHER = principal_named("other")
MOMENT = datetime(2026, 3, 4, 5, 6, 7, 123456, tzinfo=UTC)


async def change(database: Database, statement: str, **values: Any) -> None:
    async with database.transaction() as tx:
        await tx.execute(text(statement), values)


async def rows(database: Database, query: str, **values: Any) -> list[tuple[Any, ...]]:
    async with database.read() as tx:
        return [tuple(row) for row in (await tx.execute(text(query), values)).all()]


async def new_session(
    database: Database, user: Principal = MINE, active_at: datetime = MOMENT
) -> UUID:
    """An empty session of the user, last active at `active_at`."""
    session_id = new_id()
    async with database.transaction() as tx:
        await remember_user(tx, user)
        await claim_session(tx, session_id, user.user_id)
    await change(
        database, "UPDATE sessions SET last_activity_at = :at WHERE id = :id",
        at=active_at, id=session_id,
    )  # fmt: skip
    return session_id


async def say(
    database: Database,
    session_id: UUID,
    content: str,
    metadata: Mapping[str, Any] | None = None,
    message_id: UUID | None = None,
) -> UUID:
    """A user's message; the id under which it was stored."""
    chosen = message_id or new_id()
    async with database.transaction() as tx:
        assert await add_user_message(tx, chosen, session_id, content, "USD", metadata or {})
    return chosen


async def answer(database: Database, session_id: UUID, content: str, metadata: str) -> UUID:
    """A model's answer; `metadata` is JSON."""
    message_id = new_id()
    await change(
        database,
        "INSERT INTO messages (id, session_id, seq, role, content, currency, metadata) SELECT :id, "
        ":session, max(seq) + 1, 'assistant', :content, 'USD', CAST(:metadata AS jsonb) "
        "FROM messages WHERE session_id = :session",
        id=message_id, session=session_id, content=content, metadata=metadata,
    )  # fmt: skip
    return message_id
