"""A turn that a budget or a rate refused, and the SQL that writes it down."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from callsheet.db.driver import DriverTx
from callsheet.kit.json import encode

_REFUSE: Final = """
INSERT INTO usage_refusals (at, user_id, run_id, code, scope, detail)
VALUES ($1::timestamptz, $2::uuid, $3::uuid, $4::text, $5::text, $6::text::jsonb)
"""


@dataclass(frozen=True, slots=True)
class RefusedTurn:
    """A turn that did not begin or go on, as it is written down.

    `run_id` is the one that it has or would have had; `scope` says whose limit it was.
    """

    at: datetime
    user_id: UUID
    run_id: UUID
    code: str
    scope: str
    detail: Mapping[str, Any]


async def add_refusal(tx: DriverTx, refused: RefusedTurn) -> None:
    """Write down that a turn was refused."""
    await tx.execute(
        _REFUSE,
        refused.at,
        refused.user_id,
        refused.run_id,
        refused.code,
        refused.scope,
        encode(dict(refused.detail)).decode(),
    )
