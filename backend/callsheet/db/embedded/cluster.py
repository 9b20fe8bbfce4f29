"""A cluster on disk: made once, checked each time."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from callsheet.db.embedded.binaries import Binaries
from callsheet.db.embedded.identity import Identity
from callsheet.db.embedded.layout import Layout
from callsheet.db.embedded.options import WAY_OUT
from callsheet.kit.errors import SetupError

ENVIRONMENT: Final = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC"}
_TAIL_BYTES: Final = 8_000
_UNFINISHED: Final = "data.unfinished-"
_INITDB: Final = (
    "--username=postgres",
    "--auth=trust",  # the socket's folder is private to the server's user
    "--encoding=UTF8",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--no-sync",
    "--no-instructions",
)


def spawn(command: Sequence[str], identity: Identity, log: int) -> subprocess.Popen[bytes]:
    """Start a program as the server's user in a session of its own, output to `log`."""
    user = identity.uid if identity.switched else None
    return subprocess.Popen(  # noqa: S603 (our own programs, no shell)
        list(command),
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
        cwd="/",
        env=ENVIRONMENT,
        start_new_session=True,
        user=user,
        group=identity.gid if identity.switched else None,
        extra_groups=[] if identity.switched else None,
    )


def end_hard(child: subprocess.Popen[bytes]) -> None:
    """End a server that did not come up, with its children, whatever it takes."""
    with suppress(ProcessLookupError):
        child.send_signal(signal.SIGQUIT)
    try:
        child.wait(10)
    except subprocess.TimeoutExpired:
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()


def ensure_cluster(
    layout: Layout, binaries: Binaries, identity: Identity, timeout_s: float
) -> None:
    """Make the cluster if there is none; refuse one that another major version wrote.

    It is made under another name and renamed, so that a start that was killed half-way leaves
    nothing that looks like a cluster.
    """
    version_file = layout.cluster / "PG_VERSION"
    if version_file.exists():
        version = version_file.read_text(encoding="ascii").strip()
        if version != str(binaries.major):
            raise SetupError(
                f"{layout.cluster} was written by PostgreSQL {version}, and the programs here are "
                f"PostgreSQL {binaries.major}. Dump it with version {version} and restore it, or "
                f"choose another CALLSHEET_DATA_DIR. {WAY_OUT}"
            )
        return
    if layout.cluster.exists() and any(layout.cluster.iterdir()):
        raise SetupError(f"{layout.cluster} holds files that are no database. {WAY_OUT}")
    for abandoned in layout.root.glob(f"{_UNFINISHED}*"):
        shutil.rmtree(abandoned, ignore_errors=True)
    # Under a name of its own: the initdb of a start that was killed may still be writing.
    unfinished = Path(tempfile.mkdtemp(prefix=_UNFINISHED, dir=layout.root))
    if identity.switched:
        os.chown(unfinished, identity.uid, identity.gid)
    _initdb(unfinished, layout.log, binaries, identity, timeout_s)
    if layout.cluster.exists():
        layout.cluster.rmdir()
    unfinished.rename(layout.cluster)


def _initdb(
    target: Path, log: Path, binaries: Binaries, identity: Identity, timeout_s: float
) -> None:
    command = [str(binaries.program("initdb")), f"--pgdata={target}", *_INITDB]
    with log.open("ab") as output:
        logged = output.tell()
        process = spawn(command, identity, output.fileno())
        try:
            code = process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            raise SetupError(
                f"Making the database took longer than {timeout_s:.0f} s. {WAY_OUT}"
            ) from None
    if code != 0:
        raise SetupError(f"The database could not be made: {last_words(log, logged)} {WAY_OUT}")


def last_words(log: Path, start: int = 0) -> str:
    """What the log says went wrong, as one line; `start` is where in the file to begin."""
    if not log.exists():
        return f"nothing was logged (log: {log})"
    with log.open("rb") as file:
        file.seek(max(start, log.stat().st_size - _TAIL_BYTES))
        lines = file.read().decode("utf-8", "replace").splitlines()
    marks = ("FATAL", "PANIC", "ERROR", "error:", "No space", "denied")
    telling = [line.strip() for line in lines if any(mark in line for mark in marks)]
    return " / ".join((telling or lines)[-3:]) + f" (log: {log})"
