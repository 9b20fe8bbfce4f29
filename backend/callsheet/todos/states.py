"""The states of a step."""

from __future__ import annotations

from typing import Final

from callsheet.kit.states import StateTable
from callsheet.todos.todo_list import TodoStatus

TODO_ITEM: Final[StateTable[TodoStatus]] = StateTable(
    {"pending": ("running",), "running": ("completed",), "completed": ()}
)
"""A step that is not to be done is left out of the list: it does not go back."""
