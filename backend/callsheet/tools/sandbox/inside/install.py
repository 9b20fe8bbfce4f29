"""Installs packages for the program, before it is there, with what the image has for that.

Only wheels: nothing of a package runs while it is installed. The network goes before the program
comes; the server sees to that, and says when.

Only the standard library: this file also runs in the container.
"""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import sys
from collections.abc import Mapping
from typing import Any, Final, NoReturn

from callsheet.tools.sandbox.inside.processes import kill_all
from callsheet.tools.sandbox.inside.program import PACKAGES, TEMPORARY
from callsheet.tools.sandbox.inside.wire import read_exactly

_KEPT: Final = 8192
_MOST_FDS: Final = 1024


def install(request: Mapping[str, Any], server: int) -> dict[str, Any]:
    """Install; the exit code, and the end of what was said.

    EOFError where the server goes away meanwhile.
    """
    os.makedirs(TEMPORARY, exist_ok=True)
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        _become_pip(request, writing)
    os.close(writing)
    said = _listen(reading, server)
    _, status = os.waitpid(pid, 0)
    kill_all()
    shutil.rmtree(TEMPORARY, ignore_errors=True)
    return {
        "exit_code": os.waitstatus_to_exitcode(status),
        "output": said.decode("utf-8", "replace"),
    }


def wait_for_go(server: int) -> None:
    """Return when the network is gone."""
    read_exactly(server, 1)


def pip_command(packages: list[str], index: str | None) -> list[str]:
    """No shell, no option but these: the names come last, and none begins with a dash."""
    options = [
        *("--target", PACKAGES, "--only-binary", ":all:", "--no-input", "--no-cache-dir"),
        *("--disable-pip-version-check", "--progress-bar", "off", "--quiet"),
        *(("--index-url", index) if index else ()),
    ]
    return [sys.executable, "-I", "-m", "pip", "install", *options, "--", *packages]


def _become_pip(request: Mapping[str, Any], writing: int) -> NoReturn:
    with contextlib.suppress(BaseException):
        os.setsid()
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(writing, 1)
        os.dup2(writing, 2)
        os.closerange(3, _MOST_FDS)
        command = pip_command(list(request["packages"]), request["index"])
        os.execv(command[0], command)  # noqa: S606 - no shell is wanted
    os._exit(127)


def _listen(reading: int, server: int) -> bytes:
    said = b""
    while True:
        ready, _, _ = select.select([reading, server], [], [])
        if server in ready:
            raise EOFError
        part = os.read(reading, _KEPT)
        if not part:
            os.close(reading)
            return said
        said = (said + part)[-_KEPT:]
