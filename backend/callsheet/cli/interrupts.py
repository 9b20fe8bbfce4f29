"""Ctrl-C, as one function call at a time."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Self


class Interrupts:
    """`with Interrupts() as interrupts`: Ctrl-C cancels the task of the block.

    Inside `interrupts.call(act)` it calls `act` instead; a second Ctrl-C there cancels the task
    after all.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._task = asyncio.current_task()
        self._act: Callable[[], object] = self._cancel

    def __enter__(self) -> Self:
        self._loop.add_signal_handler(signal.SIGINT, self._came)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._loop.remove_signal_handler(signal.SIGINT)

    @contextmanager
    def call(self, act: Callable[[], object]) -> Iterator[None]:
        """Have the next Ctrl-C call `act`."""
        self._act = act
        try:
            yield
        finally:
            self._act = self._cancel

    def _cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()

    def _came(self) -> None:
        act, self._act = self._act, self._cancel
        act()
