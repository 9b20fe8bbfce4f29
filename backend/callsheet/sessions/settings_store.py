"""The SQL of what is set for sessions; another user's session is never touched."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

import msgspec
from sqlalchemy import text, update

from callsheet.db.tables.agent_chat_session import AgentChatSession
from callsheet.db.transaction import Read, Tx
from callsheet.sessions.settings import SessionChange, SessionSettings

_S = AgentChatSession.__table__.c

_OF: Final = text("SELECT mode, persona, budget FROM session_settings WHERE session_id = :id")

_SET: Final = text("""
INSERT INTO session_settings AS t (session_id, pinned_at, mode, persona, budget)
SELECT s.id, CASE WHEN CAST(:pinned AS boolean) THEN now() END,
       coalesce(CAST(:mode AS text), 'full'), CAST(:persona AS text), CAST(:budget AS numeric)
FROM sessions s WHERE s.id = :id AND s.user_id = :user_id AND s.deleted_at IS NULL
ON CONFLICT (session_id) DO UPDATE SET
  pinned_at = CASE WHEN NOT 'pinned' = ANY(CAST(:names AS text[])) THEN t.pinned_at
                   WHEN excluded.pinned_at IS NOT NULL
                   THEN coalesce(t.pinned_at, excluded.pinned_at) END,
  mode = CASE WHEN 'mode' = ANY(:names) THEN excluded.mode ELSE t.mode END,
  persona = CASE WHEN 'persona' = ANY(:names) THEN excluded.persona ELSE t.persona END,
  budget = CASE WHEN 'budget' = ANY(:names) THEN excluded.budget ELSE t.budget END,
  updated_at = now()
""")
_NAMES: Final = ("pinned", "mode", "persona", "budget")


async def settings_of(tx: Read, session_id: UUID) -> SessionSettings:
    """What is set for a session that the caller knows to be the user's."""
    row = (await tx.execute(_OF, {"id": session_id})).first()
    return SessionSettings() if row is None else SessionSettings(**row._asdict())


async def change_session(tx: Tx, session_id: UUID, user_id: UUID, change: SessionChange) -> None:
    """Change what the edit names, where the session is the user's and not deleted.

    A session that is pinned already keeps its moment.
    """
    if change.title is not msgspec.UNSET:
        await tx.execute(
            update(AgentChatSession)
            .where(_S.id == session_id, _S.user_id == user_id, _S.deleted_at.is_(None))
            .values(title=change.title)
        )
    given: dict[str, Any] = {name: getattr(change, name) for name in _NAMES}
    values = {name: None if value is msgspec.UNSET else value for name, value in given.items()}
    names = [name for name, value in given.items() if value is not msgspec.UNSET]
    if names:
        keys = {"id": session_id, "user_id": user_id, "names": names}
        await tx.execute(_SET, {**values, **keys})
