"""What the runner and the server say to each other over the container's attached stream.

To the runner goes one request: its length, its JSON head, the bytes of the input files one after
another, a byte to go on where packages were installed, and the nonce. The runner takes the nonce
only after it has started the program, so that the program never held it. From the runner come
frames: nonce, kind, length, content. Before the nonce came it is all zeros.

Only the standard library: this file also runs in the container.
"""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Callable
from typing import Any, Final

NONCE_BYTES: Final = 16
NO_NONCE: Final = bytes(NONCE_BYTES)
HEADER: Final = struct.Struct(f"!{NONCE_BYTES}scI")
LENGTH: Final = struct.Struct("!I")
MOST_PAYLOAD: Final = 1 << 20

READY: Final = b"R"
"""Everything wanted is imported. JSON: version of Python."""
INSTALLED: Final = b"I"
"""JSON: how installing packages went. The network has to go, then a byte has to come."""
STARTED: Final = b"S"
"""The program runs, or is about to."""
CHECKED: Final = b"C"
"""JSON: what the look at the program's text found, and whether it is run."""
STDOUT: Final = b"O"
STDERR: Final = b"E"
FILE: Final = b"F"
"""JSON: name and size of a file; that many bytes follow in frames DATA."""
DATA: Final = b"D"
END: Final = b"X"
"""JSON: how the program ended, and which files are not sent."""
KINDS: Final = frozenset({READY, INSTALLED, STARTED, CHECKED, STDOUT, STDERR, FILE, DATA, END})


def frame(nonce: bytes, kind: bytes, payload: bytes) -> bytes:
    """One frame."""
    return HEADER.pack(nonce, kind, len(payload)) + payload


def write_all(fd: int, data: bytes) -> None:
    """All of it, however many writes that takes."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


class Speaker:
    """Writes frames; `nonce` is set when it has come."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self.nonce = NO_NONCE

    def say(self, kind: bytes, payload: bytes = b"") -> None:
        """Send one frame."""
        write_all(self._fd, frame(self.nonce, kind, payload))

    def tell(self, kind: bytes, value: Any) -> None:
        """Send one frame of JSON; what cannot be encoded is escaped."""
        self.say(kind, json.dumps(value).encode("ascii"))


def read_exactly(fd: int, count: int, read: Callable[[int, int], bytes] = os.read) -> bytes:
    """So many bytes and not one more; EOFError where the other side is gone."""
    parts: list[bytes] = []
    while count > 0:
        part = read(fd, min(count, MOST_PAYLOAD))
        if not part:
            raise EOFError
        parts.append(part)
        count -= len(part)
    return b"".join(parts)
