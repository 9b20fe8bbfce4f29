"""What was registered from Python in this process."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from callsheet.tools.tool import Tool


@dataclass(frozen=True, slots=True)
class Registered:
    """A tool with its owner; `given` is what its author registered, a function perhaps."""

    given: object
    owner: str
    tool: Tool


_all: Final[list[Registered]] = []
_changing: Final = threading.Lock()  # guards `_all`: imports may run in any thread


def remember(one: Registered) -> None:
    """Keep it; once more with the same thing changes nothing."""
    with _changing:
        if not any(each.given is one.given for each in _all):
            _all.append(one)


def registered() -> Sequence[Registered]:
    """All of it, in order."""
    with _changing:
        return tuple(_all)


def forget(before: Sequence[Registered] = ()) -> None:
    """Go back to what there was at some time."""
    with _changing:
        _all[:] = before


def registered_as(given: object) -> Tool | None:
    """The tool that was made of it, if it was registered."""
    return next((each.tool for each in registered() if each.given is given), None)
