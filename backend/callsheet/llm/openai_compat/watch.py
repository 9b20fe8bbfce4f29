"""Notices that a wait has become too long, at the price of one timer for a whole answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from callsheet.kit.deadline import Deadline
from callsheet.llm.chat import Timeouts
from callsheet.llm.openai_compat.transport import FaultKind


class Watch:
    """Calls `close` when a wait passes its limit; `expired` then says which one.

    The first wait may last `first_byte_s` (counted from `began`), later ones `gap_s`, none past
    the deadline. Time in which nobody waits is not counted. All times are the loop's.
    """

    def __init__(
        self, timeouts: Timeouts, deadline: Deadline, began: float, close: Callable[[], None]
    ) -> None:
        self.expired: FaultKind | None = None
        self._loop = asyncio.get_running_loop()
        self._close = close
        self._gap_s = timeouts.gap_s
        self._end = self._loop.time() + deadline.left_s()
        self._limit = began + timeouts.first_byte_s
        self._kind: FaultKind = "first_byte_timeout"
        self._waiting = False
        self._timer: asyncio.TimerHandle | None = None

    def wait(self) -> None:
        """A wait begins."""
        self._waiting = True
        if self._kind == "gap_timeout":
            self._limit = self._loop.time() + self._gap_s
        if self._timer is None:
            self._timer = self._loop.call_at(min(self._limit, self._end), self._look)

    def got(self) -> None:
        """The wait is over."""
        self._waiting = False
        self._kind = "gap_timeout"

    def stop(self) -> None:
        """Nothing is waited for any more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _look(self) -> None:
        self._timer = None
        now = self._loop.time()
        if not self._waiting:
            return
        limit = min(self._limit, self._end)
        if now < limit:
            self._timer = self._loop.call_at(limit, self._look)
            return
        self.expired = "deadline" if self._end <= self._limit else self._kind
        self._close()
