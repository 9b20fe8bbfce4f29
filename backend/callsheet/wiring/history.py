"""What was said before, for the engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from callsheet.db.transaction import Database
from callsheet.sessions.message_store import said_before
from callsheet.turn.request import TurnRequest
from callsheet.turn.view import HistoryMessage

MOST_MESSAGES: Final = 400
"""Read at most; what a model's window cannot hold is left out later, whole turns at a time."""


class SessionHistory:
    """Implements `turn.ports.History` on the session's messages."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def before(self, request: TurnRequest) -> tuple[Sequence[HistoryMessage], int]:
        """The earlier user messages and visible answers, oldest first, and how many there are."""
        async with self._database.read() as tx:
            said = await said_before(tx, request.session_id, request.message_id, MOST_MESSAGES)
        messages = [
            HistoryMessage(role="user" if role == "user" else "assistant", text=text)
            for role, text in said
        ]
        return messages, len(messages)
