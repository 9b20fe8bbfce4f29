"""YAML as a tree in which every key and value knows its line and column.

Read by the core schema of YAML 1.2 whatever the file declares, so that `no`, `12:30` and `1_000`
are text. Aliases share their anchor's node; what they would expand to is counted, not built.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

Place = tuple[str | int, ...]
"""The way from the top to a value: keys and indexes."""

_INTEGER: Final = re.compile(r"[-+]?[0-9]{1,40}")
_PREFIXED: Final = re.compile(r"0o[0-7]{1,20}|0x[0-9a-fA-F]{1,20}")
_FLOAT: Final = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_WORDS: Final[Mapping[str, bool | None]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}


@dataclass(frozen=True, slots=True)
class Position:
    """Both count from 1."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class ScalarNode:
    """One value. `text` is as written, `value` what it means; `style` None is plain.

    `end_line` is the last line that may hold a part of it.
    """

    position: Position
    text: str
    value: str | int | float | bool | None
    style: str | None
    end_line: int

    @property
    def size(self) -> int:
        return 1

    @property
    def height(self) -> int:
        return 1


@dataclass(frozen=True, slots=True)
class Entry:
    """One pair of a mapping; `position` is the key's."""

    position: Position
    node: Node


@dataclass(frozen=True, slots=True)
class MappingNode:
    """Pairs, in the order of the file; merged ones last. `size` counts every node below."""

    position: Position
    entries: Mapping[str, Entry]
    size: int
    height: int


@dataclass(frozen=True, slots=True)
class SequenceNode:
    """Items, in order."""

    position: Position
    items: Sequence[Node]
    size: int
    height: int


Node = ScalarNode | MappingNode | SequenceNode


def meaning(text: str) -> str | int | float | bool | None:
    """What an unquoted scalar stands for."""
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    if _PREFIXED.fullmatch(text):
        return int(text, 0)
    if _FLOAT.fullmatch(text) and math.isfinite(number := float(text)):
        return number
    return text


def data(node: Node) -> object:
    """The tree as plain dicts, lists and scalars."""
    match node:
        case ScalarNode():
            return node.value
        case MappingNode():
            return {key: data(entry.node) for key, entry in node.entries.items()}
        case SequenceNode():
            return [data(item) for item in node.items]


def child(node: Node, step: str | int) -> Node | None:
    """The value under one key or index; None where there is none."""
    match node:
        case MappingNode():
            entry = node.entries.get(str(step))
            return None if entry is None else entry.node
        case SequenceNode() if isinstance(step, int) and 0 <= step < len(node.items):
            return node.items[step]
        case _:
            return None


def key_node(place: Place) -> ScalarNode:
    """The last key of `place` as if it were a value."""
    return ScalarNode(Position(0, 0), str(place[-1]), str(place[-1]), None, 0)


def without_all(node: Node, places: Collection[Place]) -> Node | None:
    """The tree less the values at `places`; None when nothing would be left."""
    for place in sorted(places, key=_backwards, reverse=True):
        if not place:
            return None
        node = _without(node, place)
    return node


def _backwards(place: Place) -> tuple[tuple[int, str], ...]:
    return tuple((step, "") if isinstance(step, int) else (-1, step) for step in place)


def _without(node: Node, place: Place) -> Node:
    """The tree less the value at `place`, which must be there and not the top."""
    step, rest = place[0], place[1:]
    match node:
        case MappingNode() if rest:
            entry = node.entries[str(step)]
            changed = Entry(entry.position, _without(entry.node, rest))
            return replace(node, entries={**node.entries, str(step): changed})
        case MappingNode():
            left = {key: entry for key, entry in node.entries.items() if key != str(step)}
            return replace(node, entries=left)
        case SequenceNode():
            index = int(step)
            kept = [_without(node.items[index], rest)] if rest else []
            return replace(node, items=[*node.items[:index], *kept, *node.items[index + 1 :]])
        case ScalarNode():
            raise KeyError(place)


def as_text(node: Node, place: Place) -> Node:
    """The tree with the scalar at `place` taken as it was written."""
    match node:
        case ScalarNode():
            return replace(node, value=node.text)
        case MappingNode():
            entry = node.entries[str(place[0])]
            changed = Entry(entry.position, as_text(entry.node, place[1:]))
            return replace(node, entries={**node.entries, str(place[0]): changed})
        case SequenceNode():
            index = int(place[0])
            items = list(node.items)
            items[index] = as_text(items[index], place[1:])
            return replace(node, items=items)
