"""The folders and files of one embedded server."""

from __future__ import annotations

import hashlib
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from callsheet.db.embedded.identity import Identity
from callsheet.db.embedded.options import WAY_OUT
from callsheet.kit.errors import SetupError

_LARGEST_LOG_BYTES: Final = 5_000_000
_SOCKET_NAME: Final = ".s.PGSQL.5432"
_LONGEST_SOCKET_PATH: Final = 100  # the kernel takes 107 bytes on Linux, 103 on macOS


@dataclass(frozen=True, slots=True)
class Layout:
    """Paths, all derived from the data folder, so that every process finds the same ones."""

    root: Path
    cluster: Path
    sockets: Path
    log: Path
    gate: Path
    users: Path
    shelter: Path

    @property
    def socket(self) -> Path:
        """The unix socket that the server listens on."""
        return self.sockets / _SOCKET_NAME

    @property
    def pid_file(self) -> Path:
        """Where a running server writes its process id."""
        return self.cluster / "postmaster.pid"

    @property
    def leftovers(self) -> tuple[Path, ...]:
        """What a killed server leaves, and a new one would take for a sign of life."""
        return (self.pid_file, self.socket.with_name(f"{_SOCKET_NAME}.lock"), self.socket)


def layout_of(data_dir: Path) -> Layout:
    """The layout under `data_dir`; nothing is created.

    The socket lies beside the data where its path is short enough, else in /tmp under a name
    that is made from the data folder's.
    """
    root = data_dir.expanduser().resolve() / "postgres"
    sockets = root / "run"
    if len(os.fsencode(sockets / _SOCKET_NAME)) > _LONGEST_SOCKET_PATH:
        digest = hashlib.sha256(os.fsencode(root)).hexdigest()[:12]
        sockets = Path("/tmp") / f"callsheet-{os.geteuid()}-{digest}"  # noqa: S108 (owner is checked)
    return Layout(
        root=root,
        cluster=root / "data",
        sockets=sockets,
        log=root / "server.log",
        gate=root / "gate.lock",
        users=root / "users.lock",
        shelter=root / "programs",
    )


def make_root(layout: Layout, identity: Identity) -> None:
    """Create what lies above the cluster, passable for the server's user.

    Only folders that are created here get a mode; a parent that is already there is never
    changed: if the server's user cannot pass it, that is a SetupError.
    """
    for folder in (*reversed(layout.root.parents), layout.root):
        if not folder.exists():
            folder.mkdir(exist_ok=True)
            folder.chmod(0o711 if identity.switched else 0o700)
    blocked = identity.blocking_parent(layout.cluster)
    if blocked is not None:
        raise SetupError(
            f"The database's user (uid {identity.uid}) may not enter {blocked}. Choose another "
            f"data folder with CALLSHEET_DATA_DIR, for instance /var/lib/callsheet. {WAY_OUT}"
        )


def make_sockets(layout: Layout, identity: Identity) -> None:
    """Create the socket's folder, private to the server's user; one of another user is refused."""
    try:
        layout.sockets.mkdir(mode=0o700)
        if identity.switched:
            os.chown(layout.sockets, identity.uid, identity.gid)
    except FileExistsError:
        check_sockets(layout, identity)


def check_sockets(layout: Layout, identity: Identity) -> None:
    """Raise SetupError where the socket's folder is another user's, who might listen there.

    To be asked before anything is said to the socket: the folder may lie in /tmp.
    """
    try:
        info = layout.sockets.lstat()
    except FileNotFoundError:
        return
    if not stat.S_ISDIR(info.st_mode) or info.st_uid != identity.uid:
        raise SetupError(
            f"{layout.sockets} belongs to somebody else; remove it, or choose another "
            f"CALLSHEET_DATA_DIR. {WAY_OUT}"
        )


def rotate_log(layout: Layout) -> None:
    """Keep one old log, so that the log cannot fill the disk over the years."""
    layout.log.touch(mode=0o600)
    if layout.log.stat().st_size > _LARGEST_LOG_BYTES:
        layout.log.replace(layout.log.with_suffix(".log.1"))
        layout.log.touch(mode=0o600)
