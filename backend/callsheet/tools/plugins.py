"""Third-party tools, found through the entry points that their packages declare."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from callsheet.kit.errors import SetupError
from callsheet.tools.offered import tools_in
from callsheet.tools.tool import Tool


@dataclass(frozen=True, slots=True)
class Plugin:
    """What one entry point brought. `owner` is the distribution that declares it.

    `name` is the entry point's; `problems` are why it brought less than it wanted.
    """

    owner: str
    name: str
    tools: tuple[Tool, ...] = ()
    problems: tuple[str, ...] = ()


def load_plugins(group: str) -> Sequence[Plugin]:
    """Import every entry point of the group, in the order of their names.

    An import takes the time that it takes, and happens once in a process. One that fails takes
    nothing from the others.
    """
    return [_load(entry) for entry in sorted(entry_points(group=group), key=_order)]


def _order(entry: EntryPoint) -> tuple[str, str, str]:
    """The same on every machine: who comes first keeps a name that two of them bring."""
    return owner_of(entry), entry.name, entry.value


def owner_of(entry: EntryPoint) -> str:
    """The distribution's name; its module's where it has none."""
    dist: Any = entry.dist
    return str(dist.name) if dist is not None else entry.module


def _load(entry: EntryPoint) -> Plugin:
    owner = owner_of(entry)
    try:
        # What a package prints is no part of a command's answer.
        with contextlib.redirect_stdout(sys.stderr):
            found = list(tools_in(entry.load()))
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the border: somebody else's code
        why = f"{_named(entry)} cannot be loaded: {type(error).__name__}: {error}"
        return Plugin(owner, entry.name, problems=(why,))
    return Plugin(
        owner,
        entry.name,
        tools=tuple(each for each in found if not isinstance(each, SetupError)),
        problems=tuple(_problems(entry, found)),
    )


def _problems(entry: EntryPoint, found: Sequence[Tool | SetupError]) -> Iterator[str]:
    for each in found:
        if isinstance(each, SetupError):
            yield f"{_named(entry)}: {each}"
    if not found:
        yield f"{_named(entry)} brings no tool."


def _named(entry: EntryPoint) -> str:
    return f"The plugin {owner_of(entry)} ({entry.name} = {entry.value})"
