"""What the route of todo lists needs from the service behind it."""

from __future__ import annotations

from typing import Protocol
from uuid import UUID

from callsheet.auth.principal import Principal
from callsheet.todos.todo_list import TodoList


class Todos(Protocol):
    """The steps that agents have set themselves. Another user's session is NotFound."""

    async def find(self, principal: Principal, session_id: UUID) -> TodoList | None:
        """The session's list; None where it has none."""
        ...
