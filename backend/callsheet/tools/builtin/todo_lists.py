"""Where todo lists are kept."""

from __future__ import annotations

from typing import Protocol

from callsheet.todos.todo_list import TodoList, TodoWish
from callsheet.tools.context import ToolContext


class TodoLists(Protocol):
    """Keeps the list of each session, and shows every change of it."""

    async def put(self, ctx: ToolContext, wish: TodoWish) -> TodoList:
        """Put the wish in the place of the session's list; the same call again changes nothing.

        Raises:
            ToolRetry: it cannot follow the list as it stands; the message says how to mend it.
            ToolFailed: the run is over.
        """
        ...
