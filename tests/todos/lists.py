"""Todo lists in a few letters: `x` completed, `>` running, anything else pending."""

from __future__ import annotations

from datetime import UTC, datetime

from callsheet.kit.ids import new_id
from callsheet.todos.todo_list import (
    ListStatus,
    Step,
    TodoItem,
    TodoList,
    TodoStatus,
    TodoWish,
)

MOMENT = datetime(2026, 1, 1, tzinfo=UTC)


def step(text: str) -> Step:
    """`>write` is running."""
    states: dict[str, TodoStatus] = {"x": "completed", ">": "running", "-": "pending"}
    return Step(text[1:], states[text[0]])


def wish(*steps: str, title: str = "Report", archived: bool = False) -> TodoWish:
    return TodoWish(title, tuple(map(step, steps)), archived)


def todo(*steps: str, status: ListStatus = "active", title: str = "Report") -> TodoList:
    made = [step(each) for each in steps]
    return TodoList(
        id=new_id(),
        session_id=new_id(),
        run_id=new_id(),
        tool_call_id="call-0",
        title=title,
        revision=1,
        status=status,
        items=tuple(TodoItem(new_id(), each.label, each.status) for each in made),
        created_at=MOMENT,
        updated_at=MOMENT,
    )


def spelled(found: TodoList) -> list[str]:
    """The steps of a list in the same letters."""
    marks = {"completed": "x", "running": ">", "pending": "-"}
    return [f"{marks[item.status]}{item.label}" for item in found.items]
