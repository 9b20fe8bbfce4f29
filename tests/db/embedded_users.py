"""Real processes that use an embedded server, and folders for it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import asyncpg

from callsheet.db.embedded.layout import layout_of
from callsheet.db.embedded.lifecycle import embedded_postgres
from callsheet.db.embedded.options import EmbeddedOptions
from callsheet.db.embedded.processes import is_server, recorded_pid, servers_of

ROOT = Path(__file__).resolve().parents[2]
FAST = {"fsync": "off", "synchronous_commit": "off"}


def folder() -> Path:
    """A data folder that the server's user can reach; pytest's own is closed to it."""
    path = Path(tempfile.mkdtemp(prefix="cs-", dir="/tmp"))
    path.chmod(0o711)
    return path


def end_all(data_dir: Path) -> None:
    for process in list(servers_of(layout_of(data_dir).cluster)):
        process.kill()
    shutil.rmtree(data_dir, ignore_errors=True)


def options(data_dir: Path, *, start_timeout_s: float = 60) -> EmbeddedOptions:
    return EmbeddedOptions(data_dir, start_timeout_s=start_timeout_s, server_settings=FAST)


def server_pid(data_dir: Path) -> int | None:
    """The live server's process id; None when none is alive."""
    layout = layout_of(data_dir)
    pid = recorded_pid(layout.pid_file)
    return pid if pid is not None and is_server(pid, layout.cluster) else None


def wait_until(condition: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.01)


def none_left(data_dir: Path) -> bool:
    return not any(servers_of(layout_of(data_dir).cluster))


class User:
    """Another process that uses the server."""

    def __init__(self, data_dir: Path, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(ROOT / "tests/db/embedded_user.py"), str(data_dir), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT / "backend")},
        )
        assert self.says() == "joining"

    def says(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def joined(self) -> User:
        assert self.says().startswith("joined postgresql://")
        return self

    def kill(self) -> None:
        self.process.kill()
        self.close()

    def leave(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        assert self.says() == "left"
        self.close()

    def close(self) -> None:
        self.process.wait(60)
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            pipe.close()


async def run(url: str, statement: str) -> object:
    connection = await asyncpg.connect(url)
    try:
        return await connection.fetchval(statement)
    finally:
        await connection.close()


def write_pid_file(data_dir: Path, pid: int) -> None:
    layout = layout_of(data_dir)
    rows = [str(pid), str(layout.cluster), "1", "5432", str(layout.sockets), "", "0 0", "ready"]
    layout.pid_file.write_text("\n".join(rows) + "\n")
    owner = layout.cluster.stat()
    os.chown(layout.pid_file, owner.st_uid, owner.st_gid)


async def starts(data_dir: Path) -> bool:
    async with embedded_postgres(options(data_dir)) as url:
        return await run(url, "SELECT 1") == 1
