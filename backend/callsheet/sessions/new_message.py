"""Messages as a run writes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from callsheet.sessions.message import MessageRole


@dataclass(frozen=True, slots=True)
class NewMessage:
    """A message that is about to be stored; its `seq` is given then."""

    id: str
    session_id: UUID
    role: MessageRole
    content: str
    model_code: str | None = None
    tool_name: str | None = None
    latency_ms: int | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FinishedMessage:
    """What a streaming message became; `metadata` is added to what stands there.

    `latency_ms` None: that of its model calls.
    """

    id: str
    content: str
    metadata: Mapping[str, Any]
    latency_ms: int | None = None
