"""Messages of a server as its bytes spell them: also where they are not quite JSON."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from callsheet.kit.json import cleaned

LARGEST_BYTES: Final = 8 * 1024 * 1024
"""Of one message. A server that sends more is taken for broken."""
_SURROGATE: Final = re.compile(rb"\\u[dD][89abAB][0-9a-fA-F]{2}|\\u[dD][c-fC-F][0-9a-fA-F]{2}")


def lenient(line: bytes) -> Any:
    """The value; `NaN`, `Infinity`, lone surrogates and bytes that are not UTF-8 are let pass.

    Numbers that are not finite stay so: who shows them makes them null. Raises ValueError.
    """
    try:
        return cleaned(json.loads(line.decode("utf-8", "replace")))
    except RecursionError:
        raise ValueError("is nested too deeply") from None


def strict(line: bytes) -> bytes:
    """The line as a reader takes it that knows `NaN` and refuses lone surrogates."""
    if not _SURROGATE.search(line) and _is_utf8(line):
        return line
    try:
        return json.dumps(lenient(line), ensure_ascii=False).encode()
    except ValueError:
        return line


def _is_utf8(line: bytes) -> bool:
    if line.isascii():
        return True
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True
