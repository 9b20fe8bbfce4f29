"""What is refused of a program's text before anybody parses it.

The look at what the text does is taken in the container (`inside/check.py`): parsing can cost
seconds and gigabytes, and there it costs the program's own limits.
"""

from __future__ import annotations

import codecs
import re
from typing import Final

_LONE: Final = re.compile("[\ud800-\udfff]")
_COOKIE: Final = re.compile(r"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")  # as Python itself reads it
_BLANK: Final = re.compile(r"^[ \t\f]*(?:#.*)?$")


def reason_against(code: str, *, most_bytes: int) -> str | None:
    """Why the text is not run, in words for the model; None where nothing speaks against it."""
    if len(code) > most_bytes:
        return f"The code is longer than {most_bytes} bytes; make it shorter."
    if _LONE.search(code):
        return "The code has a lone surrogate in it, which is no text."
    if len(code.encode("utf-8")) > most_bytes:
        return f"The code is longer than {most_bytes} bytes; make it shorter."
    if "\0" in code:
        return "The code has a NUL character in it, at which Python would stop reading."
    if (encoding := _cookie(code)) is not None:
        return f"The code says that it is encoded as {encoding!r}; leave that line out."
    return None


def _cookie(code: str) -> str | None:
    """An encoding other than UTF-8 that one of the first two lines declares."""
    for line in re.split("\r\n|\r|\n", code, maxsplit=2)[:2]:
        if found := _COOKIE.match(line):
            name = found[1]
            try:
                is_utf8 = codecs.lookup(name).name in ("utf-8", "utf-8-sig")
            except LookupError:
                is_utf8 = False
            return None if is_utf8 else name[:40]
        if not _BLANK.match(line):
            return None
    return None
