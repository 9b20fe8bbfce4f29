"""What the tools of MCP servers are called here.

`<server>__<tool>`: the name of a server never holds two underscores in a row, so that the first two
tell where it ends. A name depends on nothing but the server's and the tool's own, so that no other
tool, which may come tomorrow, is ever found under it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from fnmatch import fnmatchcase
from hashlib import sha256
from typing import Final

SEPARATOR: Final = "__"
SERVER_NAME: Final = r"^[a-z][a-z0-9]*([_-][a-z0-9]+)*$"
LONGEST_SERVER: Final = 30
_LONGEST: Final = 64
_HASH: Final = 8
_FOREIGN: Final = re.compile(r"[^A-Za-z0-9_-]")
_GLOB: Final = re.compile(r"[*?\[]")


def name_of(server: str, tool: str, taken: Collection[str] = ()) -> str:
    """The tool's name here.

    It ends in eight digits of a hash where the plain one is longer than 64 characters, holds what
    no provider takes, or is `taken` by a tool that is no server's.
    """
    plain = f"{server}{SEPARATOR}{tool}"
    if tool and not _FOREIGN.search(tool) and len(plain) <= _LONGEST and plain not in taken:
        return plain
    digits = sha256(f"{server}\0{tool}".encode("utf-8", "replace")).hexdigest()[:_HASH]
    stem = f"{server}{SEPARATOR}{_FOREIGN.sub('_', tool)}"
    return f"{stem[: _LONGEST - _HASH - 1]}_{digits}"


def server_of(name: str) -> str | None:
    """The server that a tool of this name would be of; None where it has no server's form."""
    server, separator, tool = name.partition(SEPARATOR)
    return server if separator and tool and re.match(SERVER_NAME, server) else None


def allows(allowed: Iterable[str], tool: str) -> bool:
    """Whether the white list of a server takes its tool of that name."""
    return any(tool == each or fnmatchcase(tool, each) for each in allowed)


def patterns_of(server: str, allowed: Iterable[str]) -> Iterator[str]:
    """What a server's tools can be called here, given its white list, as patterns.

    They may take in more than the white list does: nobody sees a tool's own name behind a hash.
    """
    for each in allowed:
        plain = f"{server}{SEPARATOR}{each}"
        if _GLOB.search(each):
            yield plain
            yield f"{server}{SEPARATOR}*_{'[0-9a-f]' * _HASH}"
        else:
            yield name_of(server, each)
            yield name_of(server, each, {plain})
