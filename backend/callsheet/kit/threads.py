"""Threads for work that blocks and that nobody can stop.

The threads of Python's own pools are waited for when the process ends: one call that hangs would
keep a server from stopping. These are not.
"""

from __future__ import annotations

import asyncio
import contextvars
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import Any, Final, TypeVar

T = TypeVar("T")


class Threads:
    """At most `limit` at once, started when they are needed; further work waits its turn."""

    def __init__(self, name: str, *, limit: int) -> None:
        self._name: Final = name
        self._limit: Final = limit
        self._jobs: queue.SimpleQueue[tuple[Future[Any], Callable[[], Any]]] = queue.SimpleQueue()
        self._idle = threading.Semaphore(0)
        self._count = 0
        self._starting = threading.Lock()  # guards `_count`

    async def run(self, work: Callable[[], T]) -> T:
        """What `work` returns or raises, done in a thread with the caller's context.

        When the caller is cancelled, work that has not begun never does; work that has goes on
        unheard. An exit that it asks for is a RuntimeError here: it is not its process.
        """
        future: Future[T] = Future()
        context = contextvars.copy_context()
        self._jobs.put((future, lambda: context.run(work)))
        self._start()
        return await asyncio.wrap_future(future)

    def _start(self) -> None:
        """One more thread, unless one is idle or all are there."""
        if self._idle.acquire(blocking=False):
            return
        with self._starting:
            if self._count >= self._limit:
                return
            self._count += 1
            name = f"{self._name}-{self._count}"
        threading.Thread(target=self._work, name=name, daemon=True).start()

    def _work(self) -> None:
        while True:
            future, work = self._jobs.get()
            tell = _done(future, work) if future.set_running_or_notify_cancel() else None
            self._idle.release()  # first, so that whoever goes on at once finds this thread free
            if tell is not None:
                tell()
            del future, work, tell  # what they hold is not kept until the next job comes


def _done(future: Future[Any], work: Callable[[], Any]) -> Callable[[], None]:
    """Do it; what is returned says the outcome to whoever waits."""
    try:
        result = work()
    except StopIteration as error:
        # No future can carry it: its waiter would hang.
        return partial(future.set_exception, RuntimeError(f"{error!r} left the work."))
    except Exception as error:  # noqa: BLE001 - handed to whoever waits
        return partial(future.set_exception, error)
    except BaseException as error:  # noqa: BLE001 - the exit of a thread is not the process's
        why = f"The work wanted to end the process: {error!r}."
        return partial(future.set_exception, RuntimeError(why))
    return partial(future.set_result, result)
