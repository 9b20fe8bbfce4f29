"""The JSON documents of todo lists."""

from __future__ import annotations

from datetime import datetime
from typing import Literal
from uuid import UUID

from callsheet.api.documents import Document
from callsheet.todos import todo_list


class TodoItem(Document, frozen=True, kw_only=True):
    """One step; it keeps its id as long as it keeps its label."""

    id: UUID
    label: str
    status: Literal["pending", "running", "completed"]


class TodoList(Document, frozen=True, kw_only=True):
    """The steps of a session's work. `revision` counts the changes, `runId` made the last one."""

    id: UUID
    session_id: UUID
    run_id: UUID
    title: str
    revision: int
    status: Literal["active", "completed", "archived"]
    items: list[TodoItem]
    created_at: datetime
    updated_at: datetime


def todo_view(todo: todo_list.TodoList) -> TodoList:
    """A list with its steps."""
    return TodoList(
        id=todo.id,
        session_id=todo.session_id,
        run_id=todo.run_id,
        title=todo.title,
        revision=todo.revision,
        status=todo.status,
        items=[TodoItem(id=i.id, label=i.label, status=i.status) for i in todo.items],
        created_at=todo.created_at,
        updated_at=todo.updated_at,
    )
