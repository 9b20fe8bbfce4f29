"""Who the server runs as: PostgreSQL refuses to run as root."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Final

NOBODY: Final = 65534


@dataclass(frozen=True, slots=True)
class Identity:
    """A user and group id; `switched` when they are not those of this process."""

    uid: int
    gid: int
    switched: bool

    def can_reach(self, path: Path) -> bool:
        """True when every folder above `path` may be entered and `path` itself be read and run."""
        resolved = path.resolve()
        return all(self._allowed(parent, 0o1) for parent in resolved.parents) and self._allowed(
            resolved, 0o5
        )

    def blocking_parent(self, path: Path) -> Path | None:
        """The topmost folder above `path` that this user may not enter, None if there is none."""
        for parent in reversed(path.resolve().parents):
            if parent.exists() and not self._allowed(parent, 0o1):
                return parent
        return None

    def _allowed(self, path: Path, bits: int) -> bool:
        info = path.stat()
        if info.st_uid == self.uid:
            shift = 6
        elif info.st_gid == self.gid:
            shift = 3
        else:
            shift = 0
        return stat.S_IMODE(info.st_mode) >> shift & bits == bits


def server_identity(cluster: Path) -> Identity:
    """This process's user; as root the owner of an existing cluster, else the nobody user."""
    uid, gid = os.geteuid(), os.getegid()
    if uid != 0:
        return Identity(uid, gid, switched=False)
    if cluster.exists():
        info = cluster.stat()
        if info.st_uid != 0:
            return Identity(info.st_uid, info.st_gid, switched=True)
    return Identity(NOBODY, NOBODY, switched=True)
