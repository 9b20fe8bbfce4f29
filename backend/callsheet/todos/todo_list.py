"""The steps that an agent has set itself, as its user sees them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal
from uuid import UUID

TodoStatus = Literal["pending", "running", "completed"]
ListStatus = Literal["active", "completed", "archived"]

TOOL: Final = "manage_todo_list"
"""The tool that agents keep it with."""
LONGEST_TITLE: Final = 255
LONGEST_LABEL: Final = 500
MOST_ITEMS: Final = 50

MARKS: Final[Mapping[str, str]] = {"pending": "[ ]", "running": "[>]", "completed": "[x]"}


@dataclass(frozen=True, slots=True)
class Step:
    """One line of a list as an agent wants it."""

    label: str
    status: TodoStatus


@dataclass(frozen=True, slots=True)
class TodoWish:
    """The whole list as an agent wants it; `archived`: its steps are not to be done any more."""

    title: str
    steps: tuple[Step, ...]
    archived: bool = False


@dataclass(frozen=True, slots=True)
class TodoItem:
    """One step; it keeps its id as long as it keeps its label."""

    id: UUID
    label: str
    status: TodoStatus


@dataclass(frozen=True, slots=True)
class TodoList:
    """The list of a session. `revision` counts its changes from 1, over all lists of the session.

    `run_id` and `tool_call_id` are of the last change.
    """

    id: UUID
    session_id: UUID
    run_id: UUID
    tool_call_id: str
    title: str
    revision: int
    status: ListStatus
    items: tuple[TodoItem, ...]
    created_at: datetime
    updated_at: datetime

    @property
    def completed_count(self) -> int:
        """How many steps are done."""
        return sum(item.status == "completed" for item in self.items)


def as_text(title: str, items: Iterable[TodoItem]) -> str:
    """A list on a few lines: its title, then a line for each step, in order."""
    return "\n".join((title, *(f"{MARKS[item.status]} {item.label}" for item in items)))
