"""The text of a YAML file: bounded, UTF-8, one kind of line end."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from callsheet.kit.errors import ConfigError, Problem

MAX_BYTES: Final = 256 * 1024
_CONTROL: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]")


def read_bytes(path: Path, shown: str) -> bytes:
    """The bytes of the file, at most one more than `MAX_BYTES`.

    Raises:
        ConfigError: it cannot be read.
    """
    try:
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise ConfigError([Problem(shown, 0, 0, "there is no such file")]) from None
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise ConfigError([Problem(shown, 0, 0, f"cannot be read: {reason}")]) from error


def text_of(raw: bytes, shown: str) -> str:
    """The text, without a byte order mark and with LF line ends.

    Raises:
        ConfigError: too long, not UTF-8, empty, or with a control character in it.
    """
    if len(raw) > MAX_BYTES:
        raise ConfigError([Problem(shown, 0, 0, f"is larger than {MAX_BYTES // 1024} KiB")])
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        start = raw.rfind(b"\n", 0, error.start) + 1
        column = len(raw[start : error.start].decode("utf-8", "replace")) + 1
        raise ConfigError([Problem(shown, line, column, "is not UTF-8")]) from error
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if found := _CONTROL.search(text):
        at = found.start()
        line, column = text.count("\n", 0, at) + 1, at - (text.rfind("\n", 0, at) + 1) + 1
        message = f"the control character U+{ord(found[0]):04X} is not allowed"
        raise ConfigError([Problem(shown, line, column, message)])
    return text
