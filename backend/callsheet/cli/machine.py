"""The machine's part of the doctor: Python, packages, folders, disk, port."""

from __future__ import annotations

import errno
import os
import re
import shutil
import socket
import sys
from importlib import metadata
from pathlib import Path
from typing import Final

from callsheet.cli.finding import Finding
from callsheet.settings.folders import Folders
from callsheet.settings.settings import ServerSettings

_OLDEST: Final = (3, 11)
_NEWEST: Final = (3, 13)
_LEAST_FREE_BYTES: Final = 1_000_000_000
_OTHER_HOST: Final = "Set CALLSHEET_SERVER__HOST to an address of this machine."
_OTHER_PORT: Final = "Stop what listens there, or choose another CALLSHEET_SERVER__PORT."


def machine(folders: Folders, server: ServerSettings) -> list[Finding]:
    """Everything that can be seen without a database."""
    return [
        python(sys.version_info[:3]),
        pinned("crewai", metadata.requires("callsheet") or [], metadata.version("crewai")),
        data_folder(folders.data),
        free_space(folders.data),
        port(server),
    ]


def python(version: tuple[int, int, int]) -> Finding:
    """Whether this Python is one that the product is tested with."""
    shown = ".".join(map(str, version))
    if _OLDEST <= version[:2] <= _NEWEST:
        return Finding("Python", "ok", shown)
    return Finding("Python", "missing", shown, "Use Python 3.11, 3.12 or 3.13.")


def pinned(package: str, requirements: list[str], installed: str) -> Finding:
    """Whether the installed version is the very one that is asked for."""
    pins = [re.match(rf"{package}==([\w.]+)", line) for line in requirements]
    wanted = next((pin[1] for pin in pins if pin), installed)
    if wanted == installed:
        return Finding(package, "ok", installed)
    return Finding(
        package,
        "missing",
        f"{installed}, but {wanted} is what Callsheet is tested with",
        f"Install {package}=={wanted}.",
    )


def data_folder(folder: Path) -> Finding:
    """Whether the data folder can be written, or made."""
    nearest = _nearest(folder)
    mend = "Set CALLSHEET_DATA_DIR to a folder that you may write."
    if not nearest.is_dir():
        return Finding("data folder", "missing", f"{nearest} is no folder", mend)
    if not os.access(nearest, os.W_OK | os.X_OK):
        return Finding("data folder", "missing", f"{nearest} may not be written", mend)
    made = "" if nearest == folder else " (will be made)"
    return Finding("data folder", "ok", f"{folder}{made}")


def free_space(folder: Path) -> Finding:
    """Whether the data folder's disk has room."""
    free = shutil.disk_usage(_nearest(folder)).free
    shown = f"{free / 1e9:.1f} GB free"
    if free >= _LEAST_FREE_BYTES:
        return Finding("disk", "ok", shown)
    return Finding("disk", "warning", shown, "Make room, or move CALLSHEET_DATA_DIR.")


def port(server: ServerSettings) -> Finding:
    """Whether `serve` can listen where it is told to."""
    where = f"{server.host}:{server.port}"
    try:
        found = socket.getaddrinfo(server.host, server.port, type=socket.SOCK_STREAM)
    except OSError as error:
        return Finding("port", "missing", f"{where}: {error.strerror}", _OTHER_HOST)
    family, kind, protocol, _, address = found[0]
    with socket.socket(family, kind, protocol) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(address)
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                return Finding("port", "warning", f"{where} is taken", _OTHER_PORT)
            mend = _OTHER_HOST if error.errno == errno.EADDRNOTAVAIL else _OTHER_PORT
            return Finding("port", "missing", f"{where}: {error.strerror}", mend)
    return Finding("port", "ok", f"{where} is free")


def _nearest(folder: Path) -> Path:
    """The folder, or the nearest one above it that is there."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return folder
