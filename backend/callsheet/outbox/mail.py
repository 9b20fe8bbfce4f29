"""A mail that is to be sent."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True, slots=True)
class Mail:
    """`tool_call_id` is the call that wrote it: there is one mail of each."""

    tool_call_id: str
    run_id: UUID
    session_id: UUID
    user_id: UUID
    recipients: tuple[str, ...]
    subject: str
    body: str
