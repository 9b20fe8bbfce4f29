"""A session as the rooms above see it: one conversation and its running totals."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Literal
from uuid import UUID

from callsheet.sessions.settings import SessionMode

SessionStatus = Literal["pending", "running", "completed", "failed"]


@dataclass(frozen=True, slots=True)
class SessionRecord:
    """One row of `sessions`.

    `message_count` counts the messages that are not deleted; tokens and cost count all of them.
    From `pinned_at` on it is what the user has set, see `SessionSettings`.
    """

    id: UUID
    user_id: UUID
    title: str | None
    status: SessionStatus
    last_activity_at: datetime
    message_count: int
    total_tokens: int
    total_cost: Decimal
    created_at: datetime
    updated_at: datetime
    pinned_at: datetime | None = None
    mode: SessionMode = "full"
    persona: str | None = None
    budget: Decimal | None = None
