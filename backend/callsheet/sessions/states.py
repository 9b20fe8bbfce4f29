"""The states of sessions and messages."""

from __future__ import annotations

from typing import Final

from callsheet.kit.states import StateTable
from callsheet.sessions.message import MessageStatus
from callsheet.sessions.session import SessionStatus

SESSION: Final[StateTable[SessionStatus]] = StateTable(
    {
        "pending": ("running", "completed", "failed"),
        "running": ("pending", "completed", "failed"),
        "completed": ("pending",),
        "failed": ("pending",),
    }
)
"""A session follows its last run; letting in the next one is what opens it again."""

MESSAGE: Final[StateTable[MessageStatus]] = StateTable(
    {
        "streaming": ("final", "partial", "discarded"),
        "final": (),
        "partial": (),
        "discarded": (),
    }
)
"""An answer begins as `streaming`; what users say and what tools give is `final` at once."""
