"""Which files of the workspace go back, and how: regular files alone, small ones, never a link.

It looks when no process of the program is left, so that nothing changes under its hands.

Only the standard library: this file also runs in the container.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from callsheet.tools.sandbox.inside.wire import DATA, FILE, Speaker

_MOST_SEEN: Final = 4096
_DEEPEST: Final = 8
_MOST_SKIPPED: Final = 50
_CHUNK: Final = 65_536


@dataclass(frozen=True)
class Found:
    """A regular file; `path` is relative to the workspace, as the system gave it."""

    path: str
    size: int
    mtime_ns: int


@dataclass(frozen=True)
class Bounds:
    """What is sent at most; `suffixes` are lower case, without the dot."""

    most_files: int
    file_bytes: int
    total_bytes: int
    suffixes: frozenset[str]

    @classmethod
    def of(cls, request: Mapping[str, Any]) -> Bounds:
        """As the request has them."""
        return cls(
            int(request["most_files"]),
            int(request["file_bytes"]),
            int(request["total_bytes"]),
            frozenset(request["suffixes"]),
        )


def regular_files(root: str) -> Iterator[Found]:
    """Every regular file below `root`, without hidden ones and caches, links never followed."""
    folders, seen = [("", 0)], 0
    while folders:
        folder, depth = folders.pop()
        try:
            entries = sorted(os.scandir(os.path.join(root, folder)), key=lambda one: one.name)
        except OSError:
            continue
        for entry in entries:
            seen += 1
            if seen > _MOST_SEEN:
                return
            if entry.name.startswith(".") or entry.name == "__pycache__":
                continue
            path = f"{folder}/{entry.name}" if folder else entry.name
            try:
                about = entry.stat(follow_symlinks=False)
            except OSError:
                continue
            if stat.S_ISDIR(about.st_mode) and depth < _DEEPEST:
                folders.append((path, depth + 1))
            elif stat.S_ISREG(about.st_mode):
                yield Found(path, about.st_size, about.st_mtime_ns)


def chosen(
    found: Iterator[Found], before: Mapping[str, Found], bounds: Bounds
) -> tuple[list[Found], list[dict[str, str]]]:
    """The files to send, and each that is not with the reason; `before` were there already."""
    sent: list[Found] = []
    skipped: list[dict[str, str]] = []
    total = 0
    for file in sorted(found, key=lambda one: one.path):
        if before.get(file.path) == file:
            continue
        reason = _reason_against(file, bounds, len(sent), total)
        if reason is None:
            sent.append(file)
            total += file.size
        elif len(skipped) < _MOST_SKIPPED:
            skipped.append({"name": ascii(file.path)[1:-1][:200], "reason": reason})
    return sent, skipped


def _reason_against(file: Found, bounds: Bounds, count: int, total: int) -> str | None:
    if not is_safe_name(file.path):
        return "its name cannot be given back"
    if file.path.rpartition(".")[2].lower() not in bounds.suffixes or "." not in file.path:
        return "files of its type are not given back"
    if file.size > bounds.file_bytes:
        return f"it is larger than {bounds.file_bytes} bytes"
    if count >= bounds.most_files:
        return f"more than {bounds.most_files} files"
    if total + file.size > bounds.total_bytes:
        return f"all files together are larger than {bounds.total_bytes} bytes"
    return None


def is_safe_name(path: str) -> bool:
    """Whether a relative path is plain text that leads nowhere else, on any system."""
    if not path or len(path.encode("utf-8", "surrogatepass")) > 200 or not path.isprintable():
        return False
    if "\\" in path or ":" in path or any("\ud800" <= each <= "\udfff" for each in path):
        return False
    return all(part not in ("", ".", "..") and part == part.strip() for part in path.split("/"))


def send(speaker: Speaker, root: str, files: list[Found]) -> list[dict[str, str]]:
    """Send each; what cannot be read whole is left out and returned."""
    unread: list[dict[str, str]] = []
    for file in files:
        try:
            fd = os.open(os.path.join(root, file.path), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except OSError:
            unread.append({"name": file.path, "reason": "it cannot be read"})
            continue
        try:
            _send_one(speaker, fd, file)
        finally:
            os.close(fd)
    return unread


def _send_one(speaker: Speaker, fd: int, file: Found) -> None:
    speaker.tell(FILE, {"name": file.path, "size": file.size})
    left = file.size
    while left > 0:
        data = os.read(fd, min(left, _CHUNK)) or bytes(min(left, _CHUNK))
        speaker.say(DATA, data)
        left -= len(data)
