"""The other processes of the container, all of them below the runner.

Only the standard library: this file also runs in the container.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time
from typing import Final

_REAP_S: Final = 2.0
# Where the count of kills for want of memory is: control groups of version 2, then of version 1.
_OOM_FILES: Final = ("/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control")


def reaped() -> list[tuple[int, int]]:
    """Every child that has ended since, with its status: those of others become this process's."""
    ended: list[tuple[int, int]] = []
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return ended
        if pid == 0:
            return ended
        ended.append((pid, status))


def kill_all() -> None:
    """End every other process of the container, also those that are only just being made."""
    ends_at = time.monotonic() + _REAP_S
    while time.monotonic() < ends_at:
        with contextlib.suppress(ProcessLookupError):
            os.kill(-1, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG) != (0, 0):
                pass
        except ChildProcessError:
            return
        select.select([], [], [], 0.002)


def oom_kills() -> int:
    """How often the kernel has ended a process here for want of memory."""
    for path in _OOM_FILES:
        with contextlib.suppress(OSError, ValueError), open(path, encoding="ascii") as file:
            for line in file:
                if line.startswith("oom_kill "):
                    return int(line.split()[1])
    return 0
