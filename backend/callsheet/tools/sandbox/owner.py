"""Which process a container belongs to, in words that another process can check."""

from __future__ import annotations

import os
import platform
from pathlib import Path
from typing import Final

import psutil

_BOOT: Final = Path("/proc/sys/kernel/random/boot_id")
_NAMESPACE: Final = Path("/proc/self/ns/pid")
_START_FIELD: Final = 19
"""Of /proc/<pid>/stat, behind the name: clock ticks from boot to the start of the process."""


def this_owner() -> str:
    """This process as `place/pid/start`: no other process, later or elsewhere, is called so."""
    pid = os.getpid()
    return f"{_place()}/{pid}/{_start_of(pid)}"


def is_gone(owner: str) -> bool:
    """Whether the owner was a process of this place and has ended.

    A process of another machine or of another container cannot be seen from here: it is taken to
    be alive.
    """
    place, _, rest = owner.partition("/")
    pid, _, start = rest.partition("/")
    if place != _place() or not pid.isdigit():
        return False
    return _start_of(int(pid)) != start


def _place() -> str:
    """Where process ids mean the same: a boot of a machine, and a namespace of ids in it."""
    try:
        boot = _BOOT.read_text("ascii").strip()
        return f"{boot}:{_NAMESPACE.stat().st_ino}"
    except OSError:  # not Linux: there is one namespace
        return platform.node() or "here"


def _start_of(pid: int) -> str:
    """When it began; empty where there is no such process, or only what is left of it."""
    try:
        if _BOOT.exists():
            fields = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2]
            state, *_ = values = fields.split()
            return "" if state in "ZX" else values[_START_FIELD]
        return f"{psutil.Process(pid).create_time():.2f}"
    except (OSError, psutil.Error):
        return ""
