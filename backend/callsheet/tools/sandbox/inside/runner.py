"""The container's first process: it imports what is wanted, waits, and runs one program.

Its streams to the server are never in the hands of the program: that gets pipes of its own. It
cannot be looked into either (`PR_SET_DUMPABLE`), though both belong to the same user.

Only the standard library: this file also runs in the container.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import select
import shutil
import signal
import sys
import time
from collections.abc import Mapping
from typing import Any, Final

from callsheet.tools.sandbox.inside.files import Bounds, Found, chosen, regular_files, send
from callsheet.tools.sandbox.inside.install import install, wait_for_go
from callsheet.tools.sandbox.inside.processes import kill_all, oom_kills, reaped
from callsheet.tools.sandbox.inside.program import WORKSPACE, become, set_dumpable
from callsheet.tools.sandbox.inside.wire import (
    CHECKED,
    END,
    INSTALLED,
    LENGTH,
    NONCE_BYTES,
    READY,
    STARTED,
    STDERR,
    STDOUT,
    Speaker,
    read_exactly,
)

_GRACE_S: Final = 0.3
_JOIN_MS: Final = 50
_CHUNK: Final = 65_536
_FONTS: Final = "/opt/mpl"
_FONTS_HERE: Final = "/tmp/mpl"  # noqa: S108 - the container's own


def serve(preload: list[str]) -> None:
    """Run one program; returns when the server is gone or has everything."""
    if os.getpid() != 1:
        raise SystemExit("It ends every process that it may, so it runs in a container alone.")
    set_dumpable(0)
    speaker = Speaker(os.dup(1))
    server = os.dup(0)
    os.dup2(os.open(os.devnull, os.O_RDWR), 0)
    os.dup2(2, 1)  # nothing that an import prints gets among the frames
    with contextlib.suppress(OSError):
        shutil.copytree(_FONTS, _FONTS_HERE, dirs_exist_ok=True)
    for name in preload:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    gc.collect()
    gc.freeze()
    wakeup = _children_wake()
    speaker.tell(READY, {"python": sys.version.split()[0]})
    with contextlib.suppress(EOFError, BrokenPipeError):
        Execution(speaker, server, wakeup).run()


def _children_wake() -> int:
    """A descriptor that can be read when a child has ended."""
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    return reading


class Execution:
    """The one program of this container."""

    def __init__(self, speaker: Speaker, server: int, wakeup: int) -> None:
        self._speaker = speaker
        self._server = server
        self._wakeup = wakeup
        self._kinds: dict[int, bytes] = {}
        self._left: dict[bytes, int] = {}
        self._dropped = {STDOUT: 0, STDERR: 0}
        self._status: int | None = None
        self._is_late = False

    def run(self) -> None:
        """From the request to the last frame; EOFError where the server goes away meanwhile."""
        (length,) = LENGTH.unpack(read_exactly(self._server, LENGTH.size))
        request: dict[str, Any] = json.loads(read_exactly(self._server, length))
        before = self._write_files(request["files"])
        if request["packages"]:
            self._speaker.tell(INSTALLED, install(request, self._server))
            wait_for_go(self._server)
        kills_before = oom_kills()
        program, report = self._start(request)
        self._speaker.nonce = read_exactly(self._server, NONCE_BYTES)
        self._speaker.say(STARTED)
        self._left = dict.fromkeys((STDOUT, STDERR), int(request["output_bytes"]))
        self._speaker.say(CHECKED, _read_report(report, self._server))
        try:
            self._relay(program, float(request["timeout_s"]))
        finally:
            kill_all()
        self._drain()
        sent, skipped = chosen(regular_files(WORKSPACE), before, Bounds.of(request))
        skipped += send(self._speaker, WORKSPACE, sent)
        self._speaker.tell(END, self._end(skipped, oom_kills() - kills_before))

    def _write_files(self, files: list[Mapping[str, Any]]) -> dict[str, Found]:
        for file in files:
            path = os.path.join(WORKSPACE, file["name"])
            os.makedirs(os.path.dirname(path), exist_ok=True)
            data = read_exactly(self._server, int(file["size"]))
            with contextlib.suppress(OSError), open(path, "wb") as target:
                target.write(data)
        return {file.path: file for file in regular_files(WORKSPACE)}

    def _start(self, request: Mapping[str, Any]) -> tuple[int, int]:
        out, out_end = os.pipe()
        err, err_end = os.pipe()
        report, report_end = os.pipe()
        program = os.fork()
        if program == 0:
            become(request, out_end, err_end, report_end)
        for fd in (out_end, err_end, report_end):
            os.close(fd)
        self._kinds = {out: STDOUT, err: STDERR}
        for fd in self._kinds:
            os.set_blocking(fd, False)
        return program, report

    def _relay(self, program: int, timeout_s: float) -> None:
        """Pass output on until the program has ended or its time is over, and for a moment more.

        After a little output more of it is waited for, so that what a loop prints piece by piece
        arrives in pieces that are worth telling of. The end of the program is not waited with.
        """
        poll, urgent = select.poll(), select.poll()
        for fd in (self._server, self._wakeup):
            poll.register(fd, select.POLLIN)
            urgent.register(fd, select.POLLIN)
        for fd in self._kinds:
            poll.register(fd, select.POLLIN)
        ends_at = time.monotonic() + timeout_s
        while self._kinds or self._status is None:
            left_s = ends_at - time.monotonic()
            if left_s <= 0:
                self._is_late = self._status is None
                return
            passed = self._hear(poll, left_s)
            if self._status is None and self._has_ended(program):
                ends_at = time.monotonic() + _GRACE_S
            elif self._status is None and 0 < passed < _CHUNK:
                urgent.poll(_JOIN_MS)

    def _hear(self, poll: select.poll, left_s: float) -> int:
        """Wait for the next thing that happens; how many bytes of output it was."""
        passed = 0
        for fd, _ in poll.poll(left_s * 1000):
            if fd == self._server:
                raise EOFError  # it has nothing to say any more but that it is gone
            if fd == self._wakeup:
                _empty(fd)
            elif count := self._pass_on(fd):
                passed += count
            elif count == 0:
                poll.unregister(fd)
                del self._kinds[fd]
        return passed

    def _has_ended(self, program: int) -> bool:
        for pid, status in reaped():
            if pid == program:
                self._status = status
        return self._status is not None

    def _pass_on(self, fd: int) -> int | None:
        """How many bytes there were, 0 at the end; what is over the limit is counted alone."""
        kind = self._kinds[fd]
        try:
            data = os.read(fd, _CHUNK)
        except BlockingIOError:
            return None
        kept = data[: self._left[kind]]
        self._left[kind] -= len(kept)
        self._dropped[kind] += len(data) - len(kept)
        if kept:
            self._speaker.say(kind, kept)
        return len(data)

    def _drain(self) -> None:
        """What lay in the pipes when the last process ended: no more than a pipe can hold."""
        for fd in list(self._kinds):
            for _ in range(32):
                ready, _, _ = select.select([fd], [], [], 0)
                if not ready or not self._pass_on(fd):
                    break

    def _end(self, skipped: list[dict[str, str]], kills: int) -> dict[str, Any]:
        status = self._status or 0
        was_killed = os.WIFSIGNALED(status)
        return {
            "is_late": self._is_late,
            "exit_code": None if was_killed else os.WEXITSTATUS(status),
            "signal": os.WTERMSIG(status) if was_killed else None,
            "oom_kills": kills,
            "dropped": [self._dropped[STDOUT], self._dropped[STDERR]],
            "skipped": skipped,
        }


def _read_report(report: int, server: int) -> bytes:
    """What the look at the text found; the child closes its end before it runs a line of it."""
    parts: list[bytes] = []
    while True:
        ready, _, _ = select.select([report, server], [], [])
        if server in ready:
            raise EOFError
        part = os.read(report, _CHUNK)
        if not part:
            os.close(report)
            return b"".join(parts) or b'{"findings": [], "runs": true}'
        parts.append(part)


def _empty(fd: int) -> None:
    with contextlib.suppress(BlockingIOError):
        os.read(fd, 4096)
