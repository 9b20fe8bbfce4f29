"""A real Redis of a test's own."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from redis import Redis, RedisError

_START_S = 20.0


@contextmanager
def redis_server(folder: Path) -> Iterator[str]:
    """Its address: a socket in the folder, which has to have a short name."""
    path = folder / "redis.sock"
    server = subprocess.Popen(
        [
            "redis-server", "--port", "0", "--unixsocket", str(path), "--save", "",
            "--appendonly", "no", "--dir", str(folder), "--logfile", str(folder / "redis.log"),
        ]
    )  # fmt: skip
    try:
        _wait_for(path, server)
        yield f"unix://{path}"
    finally:
        server.terminate()
        server.wait(_START_S)


def _wait_for(path: Path, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + _START_S
    with Redis(unix_socket_path=str(path)) as client:
        while time.monotonic() < deadline:
            assert server.poll() is None, "redis-server ended"
            try:
                client.ping()
            except (RedisError, OSError):
                time.sleep(0.02)
            else:
                return
    raise AssertionError("redis-server does not answer")
