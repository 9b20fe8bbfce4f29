"""The SQL of users."""

from __future__ import annotations

from sqlalchemy import text

from callsheet.auth.principal import Principal
from callsheet.db.transaction import Tx

_REMEMBER = text("INSERT INTO users (id, name) VALUES (:id, :name) ON CONFLICT DO NOTHING")


async def remember_user(tx: Tx, principal: Principal) -> None:
    """Store the user where it is not known yet: everything that a user owns points there."""
    await tx.execute(_REMEMBER, {"id": principal.user_id, "name": principal.name})
