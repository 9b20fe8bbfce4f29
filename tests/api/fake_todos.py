"""Todo lists in memory."""

from __future__ import annotations

from uuid import UUID

from callsheet.auth.principal import Principal
from callsheet.todos.todo_list import TodoList
from tests.api.fake_records import FakeSessions


class FakeTodos:
    def __init__(self, sessions: FakeSessions) -> None:
        self._sessions = sessions
        self.of: dict[UUID, TodoList] = {}

    async def find(self, principal: Principal, session_id: UUID) -> TodoList | None:
        await self._sessions.get(principal, session_id)
        return self.of.get(session_id)
