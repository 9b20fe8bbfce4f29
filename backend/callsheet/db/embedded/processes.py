"""Which processes are the server of a cluster, and which only look like it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psutil


def recorded_pid(pid_file: Path) -> int | None:
    """The process id in a postmaster.pid; None when there is no such file or no number in it."""
    try:
        first = pid_file.read_text(encoding="utf-8", errors="replace").partition("\n")[0]
    except FileNotFoundError:
        return None
    return int(first) if first.strip().isdigit() else None


def is_server(pid: int, cluster: Path) -> bool:
    """True when `pid` is alive, no zombie, and a PostgreSQL process that works in `cluster`."""
    try:
        return _works_in(psutil.Process(pid), cluster)
    except (psutil.Error, OSError):
        return False


def servers_of(cluster: Path) -> Iterator[psutil.Process]:
    """Every live PostgreSQL process of `cluster`, its children included."""
    for process in psutil.process_iter(["name"]):
        if process.info["name"] != "postgres":
            continue
        try:
            if _works_in(process, cluster):
                yield process
        except (psutil.Error, OSError):
            continue


def _works_in(process: psutil.Process, cluster: Path) -> bool:
    """A server makes its cluster its working directory; a zombie has none."""
    if process.status() == psutil.STATUS_ZOMBIE or process.name() != "postgres":
        return False
    return Path(process.cwd()) == cluster
