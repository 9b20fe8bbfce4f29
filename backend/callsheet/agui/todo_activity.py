"""A todo list on the wire: one ACTIVITY for each session's list, replaced with every change."""

from __future__ import annotations

from typing import Any, Final

from callsheet.agui.activity import activity_snapshot
from callsheet.todos.todo_list import TodoList

TODO: Final = "callsheet.todo"


def todo_content(todo: TodoList) -> dict[str, Any]:
    """The whole list, as plain data."""
    return {
        "listId": str(todo.id),
        "title": todo.title,
        "revision": todo.revision,
        "status": todo.status,
        "items": [
            {"id": str(item.id), "label": item.label, "status": item.status} for item in todo.items
        ],
    }


def todo_snapshot(todo: TodoList) -> dict[str, Any]:
    """ACTIVITY_SNAPSHOT, with the id that a run's own has."""
    return activity_snapshot(str(todo.id), TODO, todo_content(todo))
