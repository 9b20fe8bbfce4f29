"""What was said before, for the engine."""

from __future__ import annotations

from typing import Final

from callsheet.db.transaction import Database
from callsheet.sessions.said_before import ReadBefore
from callsheet.todos.store import OPEN, open_text
from callsheet.turn.request import TurnRequest
from callsheet.turn.view import Earlier, HistoryMessage

MOST_MESSAGES: Final = 400
"""Read at most; what a model's window cannot hold is left out later, whole turns at a time."""


class SessionHistory:
    """Implements `turn.ports.History` on the session's messages and its todo list."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._read = ReadBefore(beside=OPEN)

    async def before(self, request: TurnRequest) -> Earlier:
        """The earlier user messages and visible answers, and the list that is open."""
        async with self._database.read() as tx:
            found = await self._read(tx, request.session_id, request.message_id, MOST_MESSAGES)
        messages = tuple(
            HistoryMessage(role="user" if role == "user" else "assistant", text=text)
            for role, text in found.messages
        )
        todo = "" if found.beside is None else open_text(found.beside)
        return Earlier(messages, len(messages), todo)
