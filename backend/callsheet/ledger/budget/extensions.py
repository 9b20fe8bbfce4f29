"""Budgets that a person has extended: each time by the whole limit once more."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from callsheet.db.driver import DriverTx

EXTENDED: Final = """
  i.reason = 'budget' AND i.status = 'answered' AND i.payload @> '{"extend": true}'
"""
"""Of rows `i` of `interrupts`: the budget was extended."""

_OF_SESSION: Final = f"""
SELECT count(*) FROM interrupts i
WHERE i.session_id = $1::uuid AND i.detail->>'scope' = 'session' AND {EXTENDED}
"""  # noqa: S608 - our own words, not values


async def session_extensions(connection: DriverTx, session_id: UUID) -> int:
    """How often the session's budget was extended."""
    count: int = await connection.fetchval(_OF_SESSION, session_id)
    return count
