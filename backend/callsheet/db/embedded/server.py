"""The life of one embedded server, seen from one of the processes that use it.

Every function here blocks; `lifecycle.py` runs them in a thread.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from contextlib import suppress
from typing import Final

from callsheet.db.embedded.binaries import find_binaries, reachable_binaries
from callsheet.db.embedded.cluster import end_hard, ensure_cluster, last_words, spawn
from callsheet.db.embedded.identity import Identity, server_identity
from callsheet.db.embedded.layout import (
    check_sockets,
    layout_of,
    make_root,
    make_sockets,
    rotate_log,
)
from callsheet.db.embedded.locks import Membership, gate
from callsheet.db.embedded.options import WAY_OUT, EmbeddedOptions
from callsheet.db.embedded.processes import is_server, recorded_pid, servers_of
from callsheet.db.embedded.wire import NO_SUCH_DATABASE, STARTING_UP, Refused, ask
from callsheet.kit.errors import SetupError

_POLL_S: Final = 0.02
_SHORTEST_S: Final = 0.1
_LONGEST_ANSWER_S: Final = 5.0
_SETTINGS: Final = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_checkpoints": "off",
    "jit": "off",
    "max_connections": "100",
    "shared_buffers": "64MB",
}


class Abandoned(Exception):
    """Whoever wanted the server no longer waits for it."""


class Server:
    """Start it or find it running, use it, and stop it when nobody else uses it.

    Not thread-safe: one call at a time. `abandon` may be called from anywhere.
    """

    def __init__(self, options: EmbeddedOptions) -> None:
        self._options = options
        self._layout = layout_of(options.data_dir)
        self._halt = threading.Event()
        self._membership: Membership | None = None
        self._child: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """The server's address, as libpq and SQLAlchemy read it."""
        return f"postgresql://postgres@/{self._options.database}?host={self._layout.sockets}"

    def abandon(self) -> None:
        """Make a `join` that is under way give up soon."""
        self._halt.set()

    def join(self) -> None:
        """Return when the server answers; safe to call again, also to revive one that died.

        SetupError says what is in the way and how to do without.
        """
        layout = self._layout
        try:
            identity = server_identity(layout.cluster)
            make_root(layout, identity)
            check_sockets(layout, identity)
            with gate(layout.gate, timeout_s=self._options.start_timeout_s, wait=self._wait):
                self._enter(identity)
        except TimeoutError as error:
            raise SetupError(
                f"Another process has been starting or stopping the database for more than "
                f"{self._options.start_timeout_s:.0f} s ({error}). {WAY_OUT}"
            ) from error
        except (OSError, subprocess.SubprocessError) as error:
            raise SetupError(f"The embedded database cannot start: {error}. {WAY_OUT}") from error

    def leave(self) -> None:
        """Stop using the server; the last one out stops it. Safe to call without a `join`."""
        self._halt.clear()
        membership, self._membership = self._membership, None
        if membership is None:
            return
        try:
            limit_s = self._options.start_timeout_s
            with gate(self._layout.gate, timeout_s=limit_s, wait=self._wait):
                if membership.is_last():
                    self._stop()
        except TimeoutError:
            return  # it stays up for the one who holds the gate, who is then the last one out
        finally:
            membership.leave()
            self._hand_over()

    def _enter(self, identity: Identity) -> None:
        """Inside the gate: be counted first, so that nobody stops what we are about to use."""
        fresh = None
        if self._membership is None:
            fresh = self._membership = Membership(self._layout.users)
        try:
            if not self._answers():
                self._start(identity)
        except BaseException:
            if fresh is not None:
                self._membership = None
                fresh.leave()
            raise

    def _start(self, identity: Identity) -> None:
        """Wait for a server that is on its way up or down; else start one."""
        end = time.monotonic() + self._options.start_timeout_s
        if self._settle(end):
            return
        layout = self._layout
        binaries = reachable_binaries(find_binaries(), identity, layout.shelter)
        rotate_log(layout)
        ensure_cluster(layout, binaries, identity, self._options.start_timeout_s)
        make_sockets(layout, identity)
        settings = {
            **_SETTINGS,
            "unix_socket_directories": f'"{layout.sockets}"',
            **self._options.server_settings,
        }
        command = [str(binaries.program("postgres")), "-D", str(layout.cluster)]
        for name, value in settings.items():
            command += ["-c", f"{name}={value}"]
        with layout.log.open("ab") as output:
            logged = output.tell()
            child = spawn(command, identity, output.fileno())
        try:
            self._await_child(child, end, logged)
        except BaseException:
            end_hard(child)
            raise
        self._child = child

    def _settle(self, end: float) -> bool:
        """True when a server that was found answers; False when none is left and one may start.

        A pid file is believed only when its process is alive, is PostgreSQL and works in this
        cluster. Orphaned children of a killed server are waited for: they still write.
        """
        layout = self._layout
        while True:
            self._reap()
            pid = recorded_pid(layout.pid_file)
            if pid is not None and is_server(pid, layout.cluster):
                if self._answers():
                    return True
            elif not any(servers_of(layout.cluster)):
                self._hand_over()
                for leftover in layout.leftovers:
                    leftover.unlink(missing_ok=True)
                return False
            if time.monotonic() > end:
                raise SetupError(
                    f"A database server is at work in {layout.cluster} but did not answer within "
                    f"{self._options.start_timeout_s:.0f} s: {last_words(layout.log)} {WAY_OUT}"
                )
            self._wait(_POLL_S)

    def _await_child(self, child: subprocess.Popen[bytes], end: float, logged: int) -> None:
        while not self._answers():
            if child.poll() is not None:
                said = last_words(self._layout.log, logged)
                raise SetupError(f"The database server stopped at once: {said} {WAY_OUT}")
            if time.monotonic() > end:
                raise SetupError(
                    f"The database server did not answer within "
                    f"{self._options.start_timeout_s:.0f} s. {WAY_OUT}"
                )
            self._wait(_POLL_S)

    def _answers(self) -> bool:
        """True when the server takes a login; makes our database if it has none."""
        path, database = self._layout.socket, self._options.database
        limit_s = max(_SHORTEST_S, min(_LONGEST_ANSWER_S, self._options.start_timeout_s))
        try:
            ask(path, database, timeout_s=limit_s)
        except OSError:
            return False
        except Refused as refused:
            if refused.code == STARTING_UP:
                return False
            if refused.code != NO_SUCH_DATABASE:
                raise SetupError(f"The embedded database refuses: {refused}. {WAY_OUT}") from None
            create = f'CREATE DATABASE "{database}"'
            ask(path, "postgres", create, timeout_s=self._options.start_timeout_s)
        return True

    def _stop(self) -> None:
        """Fast shutdown: running statements are cut, everything committed is kept."""
        pid = recorded_pid(self._layout.pid_file)
        if pid is None:
            return
        for kind in (signal.SIGINT, signal.SIGQUIT):
            end = time.monotonic() + self._options.stop_timeout_s
            if is_server(pid, self._layout.cluster):
                with suppress(ProcessLookupError):
                    os.kill(pid, kind)
            while is_server(pid, self._layout.cluster) and time.monotonic() < end:
                self._reap()
                self._wait(_POLL_S)

    def _reap(self) -> None:
        """Let a child that died go; until then it would stay as a zombie."""
        if self._child is not None:
            self._child.poll()

    def _hand_over(self) -> None:
        """Forget our child: it is dead, or goes on for the others, which is no leak to warn of."""
        child, self._child = self._child, None
        if child is None:
            return
        if is_server(child.pid, self._layout.cluster):
            child.returncode = 0
        else:
            child.wait(_LONGEST_ANSWER_S)

    def _wait(self, seconds: float) -> None:
        if self._halt.wait(seconds):
            raise Abandoned
