"""Todo lists, for who they belong to."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from callsheet.auth.principal import Principal
from callsheet.kit.errors import NotFound
from callsheet.sessions.store import find_session
from callsheet.todos.store import find_list
from callsheet.todos.todo_list import TodoList
from callsheet.wiring.core import Core


class TodoService:
    """Lists of the sessions of the user who asks; another's are not there."""

    def __init__(self, core: Callable[[], Core]) -> None:
        self._core = core

    async def find(self, principal: Principal, session_id: UUID) -> TodoList | None:
        """The session's list, None where it has none; NotFound."""
        async with self._core().database.read() as tx:
            if await find_session(tx, session_id, principal.user_id) is None:
                raise NotFound("There is no such session.")
            return await find_list(tx, session_id)
