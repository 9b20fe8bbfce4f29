"""The tool that keeps a list of the steps of the work, for its user to see."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, Field, StringConstraints

from callsheet.kit.text import clean
from callsheet.todos.todo_list import (
    LONGEST_LABEL,
    LONGEST_TITLE,
    MOST_ITEMS,
    TOOL,
    Step,
    TodoStatus,
    TodoWish,
)
from callsheet.tools.builtin.ports import BuiltinPorts
from callsheet.tools.builtin.todo_lists import TodoLists
from callsheet.tools.context import ToolContext
from callsheet.tools.tool import Tool

Label = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_LABEL)
]
Title = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_TITLE)
]


class TodoStep(BaseModel):
    """One step."""

    label: Label = Field(description="What is done in it; the same words each time.")
    status: TodoStatus = Field(description="pending, running or completed.")


class TodoListArgs(BaseModel):
    """The whole list, as it is from now on."""

    title: Title = Field(description="What all of it is about, in a few words.")
    items: list[TodoStep] = Field(
        min_length=1, max_length=MOST_ITEMS, description="All steps in order, also those done."
    )
    archived: bool = Field(
        default=False, description="true: the rest is not to be done any more; put the list away."
    )


class ManageTodoList:
    """Replaces the session's todo list by the one that is sent."""

    name: ClassVar[str] = TOOL
    description: ClassVar[str] = (
        "Keep the list of the steps of your work, which the user sees. Send the complete list each "
        "time. A step goes from pending to running to completed; at most one is running."
    )
    Args: type[BaseModel] = TodoListArgs
    group: ClassVar[str] = "planning"
    label: ClassVar[Mapping[str, str]] = {"en": "Todo list", "zh": "待办清单"}
    summary: ClassVar[str] = "Shows the steps of longer work and how far it is."
    idempotent: ClassVar[bool] = True  # a call that has changed the list is known by its id
    instructions: ClassVar[str | None] = (
        "# Todo list\n"
        f"Where a request needs several steps, open a list with {TOOL} before you begin, with the "
        "first step running and the others pending. Whenever a step is done send the complete list "
        "again, with that step completed and the next one running, and end with all of them "
        "completed. Open none where one step or a plain answer is enough."
    )

    def __init__(self, lists: TodoLists) -> None:
        self._lists = lists

    async def run(self, args: TodoListArgs, ctx: ToolContext) -> dict[str, Any]:
        """How far the list is; the steps themselves the model has just sent."""
        steps = tuple(Step(_line(item.label), item.status) for item in args.items)
        todo = await self._lists.put(ctx, TodoWish(_line(args.title), steps, args.archived))
        return {
            "status": todo.status,
            "revision": todo.revision,
            "completed": todo.completed_count,
            "of": len(todo.items),
        }


def _line(text: str) -> str:
    """As it can be stored, and on one line."""
    return " ".join(clean(text).split())


def offer(ports: BuiltinPorts) -> Sequence[Tool]:
    """The tool of this module."""
    return (ManageTodoList(ports.lists),)
