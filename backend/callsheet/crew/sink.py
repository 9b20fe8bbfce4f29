"""CrewAI's own word on when agents and tasks begin and end."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import structlog

from callsheet.crew.cast import Cast
from callsheet.kit.errors import Unavailable

_log = structlog.get_logger(__name__)


class LifecycleSink:
    """A stream sink of one stage: CrewAI calls it for every event, in the emitting thread.

    It takes the lifecycle of agents and tasks and nothing else: answers and tool calls come from
    our own loop, so that nothing is told twice. It never raises, since what a sink raises fails
    the crew, and never waits; an event from another thread is handed to the loop.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._cast: Cast | None = None
        self._before: list[tuple[str, str]] = []
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
        except Unavailable as error:  # the journal takes nothing more: whoever waits for it is told
            _log.debug("crew_event_not_stored", kind=event.type, error=str(error))
        except Exception:  # noqa: BLE001 - the border: CrewAI would fail the run
            _log.exception("crew_event_lost", kind=getattr(event, "type", None))

    def attach(self, cast: Cast) -> None:
        """Tell `cast` from now on, and first what came before it was known."""
        self._cast = cast
        before, self._before = self._before, []
        for kind, task_id in before:
            self._tell(cast, kind, task_id)

    def _take(self, kind: str, task_id: str) -> None:
        self.seen += 1
        if self._cast is None:
            self._before.append((kind, task_id))
        else:
            self._tell(self._cast, kind, task_id)

    @staticmethod
    def _tell(cast: Cast, kind: str, task_id: str) -> None:
        if kind == "agent_execution_started":
            cast.enter(task_id)
        elif kind == "agent_execution_completed":
            cast.leave(task_id, "done")
        elif kind == "agent_execution_error":
            cast.leave(task_id, "failed")
        else:
            cast.task_done(task_id)


_TAKEN = frozenset(
    {
        "agent_execution_started",
        "agent_execution_completed",
        "agent_execution_error",
        "task_completed",
    }
)
