"""CrewAI's own word on when agents and tasks begin and end."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import structlog

from callsheet.crew.cast import Cast

_log = structlog.get_logger(__name__)


class LifecycleSink:
    """A stream sink of one stage: CrewAI calls it for every event, in the emitting thread.

    It takes the lifecycle of agents and tasks and nothing else: answers and tool calls come from
    our own loop, so that nothing is told twice. It never raises, since what a sink raises fails
    the crew, and never waits; an event from another thread is handed to the loop.
    """

    def __init__(self, cast: Cast, loop: asyncio.AbstractEventLoop) -> None:
        self._cast = cast
        self._loop = loop
        self._thread = threading.get_ident()
        self.seen = 0

    def __call__(self, source: Any, event: Any) -> None:
        """Take one event of CrewAI."""
        try:
            kind = event.type
            if kind not in _TAKEN:
                return
            task_id = str(event.task.id)
            if threading.get_ident() == self._thread:
                self._take(kind, task_id)
            else:
                self._loop.call_soon_threadsafe(self._take, kind, task_id)
        except Exception:  # noqa: BLE001 - the border: CrewAI would fail the run
            _log.exception("crew_event_lost", kind=getattr(event, "type", None))

    def _take(self, kind: str, task_id: str) -> None:
        self.seen += 1
        if kind == "agent_execution_started":
            self._cast.enter(task_id)
        elif kind == "agent_execution_completed":
            self._cast.leave(task_id, "done")
        elif kind == "agent_execution_error":
            self._cast.leave(task_id, "failed")
        else:
            self._cast.task_done(task_id)


_TAKEN = frozenset(
    {
        "agent_execution_started",
        "agent_execution_completed",
        "agent_execution_error",
        "task_completed",
    }
)
