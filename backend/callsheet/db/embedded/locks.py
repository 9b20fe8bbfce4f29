"""File locks that the kernel lets go when a process dies, however it dies."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

_POLL_S: Final = 0.02


@contextmanager
def gate(path: Path, *, timeout_s: float, wait: Callable[[float], None]) -> Iterator[None]:
    """Hold `path` alone: one process at a time starts or stops the server.

    TimeoutError when somebody else holds it for longer than `timeout_s`. `wait` sleeps for so
    many seconds, or raises to give up.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        end = time.monotonic() + timeout_s
        while not _take(handle, fcntl.LOCK_EX):
            if time.monotonic() > end:
                raise TimeoutError(f"{path} is held by another process")
            wait(_POLL_S)
        yield
    finally:
        os.close(handle)


class Membership:
    """A place among the users of a server: a shared lock, held as long as the server is used."""

    def __init__(self, path: Path) -> None:
        self._handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._handle, fcntl.LOCK_SH)

    def is_last(self) -> bool:
        """True when nobody else holds a place. Only meaningful inside the gate."""
        return _take(self._handle, fcntl.LOCK_EX)

    def leave(self) -> None:
        """Give the place up."""
        os.close(self._handle)


def _take(handle: int, kind: int) -> bool:
    try:
        fcntl.flock(handle, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
