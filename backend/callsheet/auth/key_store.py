"""The SQL of `api_keys`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import text

from callsheet.auth.key import SHOWN_CHARS, KeyRecord, KnownKey, hash_of
from callsheet.auth.principal import Principal
from callsheet.auth.store import remember_user
from callsheet.db.transaction import Read, Tx

_INSERT = text(
    "INSERT INTO api_keys (user_id, label, prefix, hash, scopes, expires_at) "
    "VALUES (:user_id, :label, :prefix, :hash, :scopes, :expires_at) RETURNING id"
)
_FIND = text(
    "SELECT k.id, k.scopes, k.expires_at, u.id AS user_id, u.name "
    "FROM api_keys k JOIN users u ON u.id = k.user_id "
    "WHERE k.hash = :hash AND k.revoked_at IS NULL"
)
_COLUMNS = (
    "k.id, u.name AS user_name, k.label, k.prefix, k.scopes, k.created_at, k.expires_at, "
    "k.last_used_at, k.revoked_at FROM api_keys k JOIN users u ON u.id = k.user_id"
)
_LIST = text(
    f"SELECT {_COLUMNS} WHERE CAST(:name AS text) IS NULL OR u.name = :name "
    "ORDER BY k.created_at DESC, k.id LIMIT :limit"
)
_NAMED = text(
    f"SELECT {_COLUMNS} WHERE k.prefix = :prefix OR k.id::text = :id "
    "ORDER BY k.created_at DESC, k.id LIMIT 10"
)
_REVOKE = text("UPDATE api_keys SET revoked_at = now() WHERE id = :id AND revoked_at IS NULL")
ACTIVE_KEYS = (
    "SELECT count(*) FROM api_keys WHERE revoked_at IS NULL "
    "AND (expires_at IS NULL OR expires_at > now())"
)
"""How many keys let somebody in now."""
_ACTIVE = text(ACTIVE_KEYS)
# The rows are locked in one order, so that processes that write the same ones wait, not collide.
_USED = text(
    "WITH due AS (SELECT k.id, used.at FROM api_keys k "
    "JOIN unnest(CAST(:ids AS uuid[]), CAST(:moments AS timestamptz[])) AS used(id, at) "
    "ON used.id = k.id WHERE k.last_used_at IS NULL "
    "OR k.last_used_at <= used.at - interval '1 minute' ORDER BY k.id FOR NO KEY UPDATE OF k) "
    "UPDATE api_keys SET last_used_at = due.at FROM due WHERE api_keys.id = due.id"
)


async def insert_key(
    tx: Tx, key: str, owner: Principal, label: str, expires_at: datetime | None
) -> UUID:
    """Store the key's hash, with the owner's scopes; the owner becomes a user where it is none."""
    await remember_user(tx, owner)
    values = {
        "user_id": owner.user_id,
        "label": label,
        "prefix": key[:SHOWN_CHARS],
        "hash": hash_of(key),
        "scopes": sorted(owner.scopes),
        "expires_at": expires_at,
    }
    found: UUID = (await tx.execute(_INSERT, values)).scalar_one()
    return found


async def find_key(tx: Read, key_hash: bytes) -> KnownKey | None:
    """The key of that hash, unless it was revoked; it may have expired."""
    row = (await tx.execute(_FIND, {"hash": key_hash})).one_or_none()
    if row is None:
        return None
    return KnownKey(row.id, Principal(row.user_id, row.name, frozenset(row.scopes)), row.expires_at)


async def list_keys(tx: Read, user_name: str | None, limit: int) -> tuple[KeyRecord, ...]:
    """Keys of one user, or of all; newest first."""
    rows = (await tx.execute(_LIST, {"name": user_name, "limit": limit})).mappings()
    return tuple(_record(row) for row in rows)


async def find_named(tx: Read, reference: str) -> tuple[KeyRecord, ...]:
    """The keys that an id, the first 12 characters or a whole key stand for: hardly ever two."""
    asked = {"prefix": reference[:SHOWN_CHARS], "id": reference.lower()}
    rows = (await tx.execute(_NAMED, asked)).mappings()
    return tuple(_record(row) for row in rows)


async def revoke_key(tx: Tx, key_id: UUID) -> bool:
    """Let it in no more; False where it was revoked before."""
    return (await tx.execute(_REVOKE, {"id": key_id})).rowcount > 0


async def has_active_key(tx: Read) -> bool:
    """Whether any key lets somebody in now."""
    return bool((await tx.execute(_ACTIVE)).scalar_one())


async def write_uses(tx: Tx, uses: Mapping[UUID, datetime]) -> None:
    """Store when keys were last used; a key that was used within the minute before is left."""
    await tx.execute(_USED, {"ids": list(uses), "moments": list(uses.values())})


def _record(row: Mapping[Any, Any]) -> KeyRecord:
    return KeyRecord(**{**row, "scopes": tuple(row["scopes"])})
