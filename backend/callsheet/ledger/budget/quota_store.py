"""The SQL of users' own limits, and their form as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final, cast
from uuid import UUID

from sqlalchemy import text

from callsheet.db.transaction import Read, Tx
from callsheet.kit.json import encode
from callsheet.kit.money import plain
from callsheet.ledger.budget.limits import Override

# Every column of every row, so that a change by whatever means is one.
_VERSION: Final = text("""
SELECT concat(count(*), ':', sum(hashtextextended(q::text, 0))) FROM user_quotas q
""")
_ALL: Final = text("SELECT user_id, limits FROM user_quotas")
_ONE: Final = text("SELECT limits FROM user_quotas WHERE user_id = :user_id")
_SET: Final = text("""
INSERT INTO user_quotas (user_id, limits, updated_by)
VALUES (:user_id, CAST(:limits AS jsonb), :updated_by)
ON CONFLICT (user_id) DO UPDATE
SET limits = excluded.limits, updated_by = excluded.updated_by, updated_at = clock_timestamp()
""")
_FORGET: Final = text("DELETE FROM user_quotas WHERE user_id = :user_id")


async def quota_version(tx: Read) -> str:
    """A word that is another one after any change of the table; cheap to ask."""
    found: str = (await tx.execute(_VERSION)).scalar_one()
    return found


async def stored_quotas(tx: Read) -> Mapping[UUID, Override]:
    """The differences of every user who has any in the database."""
    return {row.user_id: from_json(row.limits) for row in await tx.execute(_ALL)}


async def stored_quota(tx: Read, user_id: UUID) -> Override:
    """One user's; empty where there are none."""
    limits = (await tx.execute(_ONE, {"user_id": user_id})).scalar()
    return from_json(limits or {})


async def set_quota(tx: Tx, user_id: UUID, override: Override, updated_by: str) -> None:
    """Replace the user's differences; an empty override leaves none."""
    if not override:
        await tx.execute(_FORGET, {"user_id": user_id})
        return
    limits = encode(to_json(override)).decode()
    await tx.execute(_SET, {"user_id": user_id, "limits": limits, "updated_by": updated_by})


def to_json(override: Override) -> dict[str, Any]:
    """Money as a decimal string, counts as numbers, no limit as null."""
    return {
        scope: {
            measure: None if most is None else plain(most) if measure == "cost" else int(most)
            for measure, most in amounts.items()
        }
        for scope, amounts in override.items()
    }


def from_json(limits: Mapping[str, Mapping[str, Any]]) -> Override:
    """The override that `to_json` was given."""
    stored = {
        scope: {name: None if most is None else Decimal(most) for name, most in amounts.items()}
        for scope, amounts in limits.items()
    }
    return cast(Override, stored)
