"""A session that somebody comes back to."""

from __future__ import annotations

from dataclasses import dataclass

from callsheet.runs.watched import WatchedRun
from callsheet.sessions.session import SessionRecord
from callsheet.sessions.shown import ShownMessage
from callsheet.todos.todo_list import TodoList


@dataclass(frozen=True, slots=True)
class ConnectedSession:
    """What was said, and the run that is under way, None where there is none.

    `messages` leave out what that run answers: it is in its entries. `todo` is the session's list
    of steps, None too where that run has changed it. `currency` is that of the session's total.
    """

    session: SessionRecord
    messages: tuple[ShownMessage, ...]
    watched: WatchedRun | None
    currency: str
    todo: TodoList | None = None
