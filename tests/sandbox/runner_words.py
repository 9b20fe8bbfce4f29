"""What a runner says, made by hand."""

from __future__ import annotations

import json
import struct
from typing import Any

from callsheet.tools.sandbox.inside.wire import (
    CHECKED,
    DATA,
    END,
    FILE,
    STARTED,
    STDERR,
    STDOUT,
    frame,
)

NONCE = b"0123456789abcdef"


def piece(data: bytes, stream: int = 1) -> bytes:
    """As the engine passes it on."""
    return struct.pack("!BxxxI", stream, len(data)) + data


def word(kind: bytes, value: Any = None, nonce: bytes = NONCE) -> bytes:
    """A frame in one piece; `value` is JSON, or bytes as they are."""
    payload = value if isinstance(value, bytes) else json.dumps(value).encode()
    return piece(frame(nonce, kind, b"" if value is None else payload))


def end(exit_code: int | None = 0, **other: Any) -> bytes:
    """The last word."""
    said = {
        "exit_code": exit_code,
        "signal": None,
        "oom_kills": 0,
        "dropped": [0, 0],
        "skipped": [],
    }
    return word(END, {**said, **other})


def begin(findings: list[dict[str, Any]] | None = None, *, runs: bool = True) -> bytes:
    """The words before a program's own."""
    return word(STARTED) + word(CHECKED, {"findings": findings or [], "runs": runs})


def out(data: bytes) -> bytes:
    return word(STDOUT, data)


def err(data: bytes) -> bytes:
    return word(STDERR, data)


def file(name: str, data: bytes, size: int | None = None) -> bytes:
    about = {"name": name, "size": len(data) if size is None else size}
    return word(FILE, about) + word(DATA, data)
