"""The SQL of todo lists."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.engine import Row

from callsheet.db.transaction import Read, Tx
from callsheet.kit.json import decode
from callsheet.todos.todo_list import TodoItem, TodoList, as_text

_ITEMS: Final = """
(SELECT jsonb_agg(jsonb_build_object('id', i.id, 'label', i.label, 'status', i.status)
                  ORDER BY i.order_index)
 FROM session_todo_items i WHERE i.list_id = l.id)"""

_COLUMNS: Final = f"""
l.id, l.session_id, l.run_id, l.tool_call_id, l.title, l.revision, l.status, l.created_at,
l.updated_at, {_ITEMS} AS items"""

_FIND = text(f"SELECT {_COLUMNS} FROM session_todo_lists l WHERE l.session_id = :session_id")  # noqa: S608 - our own words

_FOR_RUN = text(f"""
SELECT {_COLUMNS} FROM sessions s JOIN runs r ON r.session_id = s.id
LEFT JOIN session_todo_lists l ON l.session_id = s.id
WHERE s.id = :session_id AND s.user_id = :user_id AND s.deleted_at IS NULL
  AND r.id = :run_id AND r.finished_at IS NULL
""")  # noqa: S608 - our own words

OPEN: Final = f"""
SELECT jsonb_build_object('title', l.title, 'items', {_ITEMS})::text
FROM session_todo_lists l
WHERE l.session_id = :session_id AND l.status = 'active'
  AND NOT EXISTS (SELECT FROM runs r WHERE r.id = l.run_id AND r.user_message_id = :message_id)
"""  # noqa: S608 - our own words
"""A query of one text: the session's open list as the turn that answers a message found it.

None where that turn has changed it itself: its own calls tell. `open_text` makes it readable.
"""

_ADD = text("""
INSERT INTO session_todo_lists (id, session_id, run_id, tool_call_id, title, revision, status)
VALUES (:id, :session_id, :run_id, :tool_call_id, :title, :revision, :status)
ON CONFLICT (session_id) DO NOTHING
""")

_CHANGE = text("""
UPDATE session_todo_lists
SET run_id = :run_id, tool_call_id = :tool_call_id, title = :title, revision = :revision,
    status = :status, updated_at = now()
WHERE id = :id AND revision = :revision - 1
""")

_CLEAR = text("DELETE FROM session_todo_items WHERE list_id = :id")

_FILL = text("""
INSERT INTO session_todo_items (id, list_id, label, status, order_index)
SELECT i.id, :list_id, i.label, i.status, i.place - 1
FROM unnest(CAST(:ids AS uuid[]), CAST(:labels AS text[]), CAST(:statuses AS text[]))
  WITH ORDINALITY AS i(id, label, status, place)
""")

_PUT_AWAY = text("""
UPDATE session_todo_lists l SET status = 'archived', revision = l.revision + 1, updated_at = now()
FROM runs r, messages asked, messages again
WHERE l.session_id = :session_id AND l.status = 'active' AND r.id = l.run_id
  AND asked.id = r.user_message_id AND again.id = :message_id AND asked.seq >= again.seq
""")

_FORGET = text("""
DELETE FROM session_todo_lists WHERE id IN (
    SELECT l.id FROM session_todo_lists l JOIN sessions s ON s.id = l.session_id
    WHERE s.deleted_at < :before LIMIT :limit)
""")


async def find_list(tx: Read, session_id: UUID) -> TodoList | None:
    """The list of a session that the caller knows to be the user's."""
    row = (await tx.execute(_FIND, {"session_id": session_id})).first()
    return None if row is None else _list(row)


async def list_for_run(
    tx: Read, session_id: UUID, user_id: UUID, run_id: UUID
) -> tuple[bool, TodoList | None]:
    """Whether the user's run is under way, and the list of its session."""
    values = {"session_id": session_id, "user_id": user_id, "run_id": run_id}
    row = (await tx.execute(_FOR_RUN, values)).first()
    if row is None:
        return False, None
    return True, None if row.id is None else _list(row)


async def save_list(tx: Tx, todo: TodoList) -> bool:
    """Store the list and its items in the place of the revision before.

    False, and nothing is changed, where that is not the stored one.
    """
    values = {
        "id": todo.id,
        "session_id": todo.session_id,
        "run_id": todo.run_id,
        "tool_call_id": todo.tool_call_id,
        "title": todo.title,
        "revision": todo.revision,
        "status": todo.status,
    }
    result = await tx.execute(_ADD if todo.revision == 1 else _CHANGE, values)
    if result.rowcount != 1:
        return False
    await tx.execute(_CLEAR, {"id": todo.id})
    await tx.execute(
        _FILL,
        {
            "list_id": todo.id,
            "ids": [item.id for item in todo.items],
            "labels": [item.label for item in todo.items],
            "statuses": [item.status for item in todo.items],
        },
    )
    return True


async def put_away(tx: Tx, session_id: UUID, message_id: UUID) -> None:
    """Archive the open list where a message is asked again and the list is of what came after."""
    await tx.execute(_PUT_AWAY, {"session_id": session_id, "message_id": message_id})


async def forget_lists(tx: Tx, before: datetime, limit: int) -> int:
    """Remove at most `limit` lists of sessions that were deleted before that moment; how many."""
    return (await tx.execute(_FORGET, {"before": before, "limit": limit})).rowcount


def open_text(found: str) -> str:
    """What the query `OPEN` gives, as lines of text."""
    values = decode(found)
    return as_text(values["title"], _items(values["items"]))


def _list(row: Row[*tuple[Any, ...]]) -> TodoList:
    values = row._asdict()
    return TodoList(**{**values, "items": _items(values["items"])})


def _items(found: list[Mapping[str, Any]] | None) -> tuple[TodoItem, ...]:
    return tuple(TodoItem(UUID(i["id"]), i["label"], i["status"]) for i in found or ())
