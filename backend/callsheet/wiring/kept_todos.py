"""Todo lists, as the tool keeps them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from callsheet.agui.todo_activity import TODO, todo_content
from callsheet.db.transaction import Database, Tx
from callsheet.kit.errors import ToolFailed, ToolRetry
from callsheet.kit.ids import new_id
from callsheet.todos.moves import following, is_same, mistakes
from callsheet.todos.store import list_for_run, save_list
from callsheet.todos.todo_list import TodoList, TodoWish, as_text
from callsheet.tools.context import ToolContext

_TRIES: Final = 3
_SHOWN_MISTAKES: Final = 8


class KeptTodos:
    """Implements `tools.builtin.todo_lists.TodoLists` on the database."""

    def __init__(self, database: Callable[[], Database]) -> None:
        self._database = database

    async def put(self, ctx: ToolContext, wish: TodoWish) -> TodoList:
        """Read, judge, write, and show what is stored.

        Where another call has changed the list in between it is read and judged anew.
        """
        for _ in range(_TRIES):
            async with self._database().transaction() as tx:
                stored = await _put(tx, ctx, wish)
            if stored is not None:
                ctx.tell.show(TODO, stored.id, todo_content(stored))
                return stored
        raise ToolRetry("The list was changed by other calls at the same time; send it again.")


async def _put(tx: Tx, ctx: ToolContext, wish: TodoWish) -> TodoList | None:
    """The list as it is stored then; None where it was changed meanwhile."""
    is_under_way, before = await list_for_run(tx, ctx.session_id, ctx.user_id, ctx.run_id)
    if not is_under_way:
        raise ToolFailed("No run of this session is under way; its list stays as it is.")
    if before is not None and (before.tool_call_id == ctx.tool_call_id or is_same(before, wish)):
        return before
    wrong = mistakes(before, wish.steps)
    if wrong:
        raise ToolRetry(_told(wrong, before))
    items, status = following(before, wish)
    now = ctx.clock.now()
    todo = TodoList(
        id=new_id() if before is None else before.id,
        session_id=ctx.session_id,
        run_id=ctx.run_id,
        tool_call_id=ctx.tool_call_id,
        title=wish.title,
        revision=1 if before is None else before.revision + 1,
        status=status,
        items=items,
        created_at=now if before is None else before.created_at,
        updated_at=now,
    )
    return todo if await save_list(tx, todo) else None


def _told(wrong: Sequence[str], before: TodoList | None) -> str:
    more = len(wrong) - _SHOWN_MISTAKES
    told = [*wrong[:_SHOWN_MISTAKES], *([f"and {more} more"] if more > 0 else [])]
    said = f"The list was not changed: {'; '.join(told)}."
    if before is None:
        return said
    return f"{said} The list as it stands:\n{as_text(before.title, before.items)}"
