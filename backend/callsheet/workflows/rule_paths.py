"""Which variables and functions a rule's syntax tree names, and where."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

_COMPREHENSIONS: Final = frozenset({"all", "exists", "exists_one", "map", "filter"})


@dataclass(frozen=True, slots=True)
class Path:
    """A variable as the rule names it; `column` counts from 1 within `line`.

    `is_open`: what follows is found by a computed index.
    """

    steps: tuple[str, ...]
    line: int
    column: int
    is_open: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """A function that the rule calls."""

    name: str
    line: int
    column: int


def named(tree: Any, bound: frozenset[str] = frozenset()) -> Iterator[Path | Call]:
    """Everything the tree names; what a comprehension binds itself is left out."""
    path = _path(tree)
    if path is not None and path.steps[0] not in bound:
        yield path
    if tree.data in ("ident_arg", "dot_ident_arg", "member_dot_arg"):
        yield from _call(tree, bound)
        return
    for child in _branches(tree):
        if path is None or child.data == "expr" or _path(child) is None:
            yield from named(child, bound)
        else:
            yield from _indexes(child, bound)


def _call(tree: Any, bound: frozenset[str]) -> Iterator[Path | Call]:
    token = next(child for child in tree.children if not hasattr(child, "children"))
    name = str(token)
    yield Call(name, token.line, token.column)
    branches = list(_branches(tree))
    inner = bound
    if tree.data == "member_dot_arg":
        yield from named(branches.pop(0), bound)
        if name in _COMPREHENSIONS and branches and (variable := _bound_name(branches[0])):
            inner = bound | {variable}
    for branch in branches:
        yield from named(branch, inner)


def _bound_name(arguments: Any) -> str | None:
    first = next(iter(_branches(arguments)), None)
    while first is not None and len(first.children) == 1:
        only = first.children[0]
        if not hasattr(only, "children"):
            return str(only) if first.data == "ident" else None
        first = only
    return None


def _indexes(tree: Any, bound: frozenset[str]) -> Iterator[Path | Call]:
    """The index expressions along a variable, which may name variables themselves."""
    for child in _branches(tree):
        if child.data == "expr":
            yield from named(child, bound)
        else:
            yield from _indexes(child, bound)


def _path(tree: Any) -> Path | None:
    match tree.data:
        case "member" | "primary":
            only = tree.children[0]
            return _path(only) if hasattr(only, "children") else None
        case "ident":
            token = tree.children[0]
            return Path((str(token),), token.line, token.column)
        case "member_dot":
            return _longer(_path(tree.children[0]), str(tree.children[1]))
        case "member_index":
            return _longer(_path(tree.children[0]), _literal(tree.children[1]))
        case _:
            return None


def _longer(path: Path | None, step: str | None) -> Path | None:
    if path is None or path.is_open:
        return path
    if step is None:
        return Path(path.steps, path.line, path.column, is_open=True)
    return Path((*path.steps, step), path.line, path.column)


def _literal(tree: Any) -> str | None:
    """The text of an index that is one plain string."""
    while hasattr(tree, "children") and len(tree.children) == 1:
        tree = tree.children[0]
    if getattr(tree, "type", "") != "STRING_LIT":
        return None
    try:
        value = ast.literal_eval(str(tree))
    except (SyntaxError, ValueError):
        return None
    return value if isinstance(value, str) else None


def _branches(tree: Any) -> Iterator[Any]:
    return (child for child in tree.children if hasattr(child, "children"))
