"""`Tell` for a function that runs in a thread: the events of a run are the event loop's alone."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from functools import partial
from typing import Any, Literal, TypeVar
from uuid import UUID

from callsheet.tools.source import Source
from callsheet.tools.tell import Tell

T = TypeVar("T")


class ThreadTell:
    """Implements `Tell` over one of the loop's; each word waits until the loop has taken it.

    It is made on the loop, and may be used there too.
    """

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._loop = asyncio.get_running_loop()
        self._loops_thread = threading.get_ident()

    def show(self, activity: str, message_id: UUID, content: Mapping[str, Any]) -> None:
        """See `Tell.show`."""
        self._on_loop(partial(self._tell.show, activity, message_id, content))

    def output(self, stream: Literal["stdout", "stderr"], text: str) -> None:
        """See `Tell.output`."""
        self._on_loop(partial(self._tell.output, stream, text))

    def source(self, source: Source) -> int:
        """See `Tell.source`."""
        return self._on_loop(partial(self._tell.source, source))

    def _on_loop(self, work: Callable[[], T]) -> T:
        if threading.get_ident() == self._loops_thread:
            return work()
        done: Future[T] = Future()
        self._loop.call_soon_threadsafe(_do, work, done)
        return done.result()


def _do(work: Callable[[], T], done: Future[T]) -> None:
    try:
        done.set_result(work())
    except Exception as error:  # noqa: BLE001 - handed to the thread that waits
        done.set_exception(error)
