"""A message as the rooms above see it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any, Literal
from uuid import UUID

MessageRole = Literal["user", "assistant", "system", "tool"]
MessageStatus = Literal["streaming", "final", "partial", "discarded"]
"""`partial`: cut, stopped or failed. `discarded`: asked for anew, and said no more."""


@dataclass(frozen=True, slots=True)
class MessageRecord:
    """One row of `messages`; `seq` orders them within the session, from 1, with gaps where deleted.

    `metadata` tells stage, agent, `visible` and `status` of an answer, `tool` of a tool's result.
    """

    id: UUID
    session_id: UUID
    seq: int
    role: MessageRole
    content: str
    model_code: str | None
    tool_name: str | None
    input_tokens: int
    output_tokens: int
    cost: Decimal
    currency: str
    latency_ms: int | None
    created_at: datetime
    metadata: Mapping[str, Any] = field(default_factory=dict)
