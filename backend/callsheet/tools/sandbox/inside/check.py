"""A look at a program's text for what seldom works or does harm. A hint, never the barrier.

What this misses (and it is easy to write what it misses) meets the container. It runs inside the
container too, before the program does, so that parsing can cost the server nothing.

Only the standard library: this file also runs in the container.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Final

FORK_BOMB: Final = "fork_bomb"
_FORKS: Final = frozenset({"os.fork", "os.forkpty"})
_IMPORTERS: Final = frozenset({"__import__", "importlib.import_module", "importlib.__import__"})
_LOOPS: Final = (ast.While, ast.For, ast.AsyncFor)
_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)


def findings(tree: ast.AST, rules: Mapping[str, str]) -> list[dict[str, object]]:
    """Each rule that the text meets: `name`, `action` and the first `line`, in their order.

    A rule is the dotted name of a module or of something in one, a built-in function, or the
    word `fork_bomb`: a fork in a loop, or in a function that calls itself.
    """
    met: dict[str, int] = {}
    known = _names_of_imports(tree)
    for name, line in (*_used(tree, known), *_fork_bombs(tree, known)):
        for rule in _rules_for(name, rules):
            met[rule] = min(line, met.get(rule, line))
    return [
        {"name": rule, "action": rules[rule], "line": line}
        for rule, line in sorted(met.items(), key=lambda one: (one[1], one[0]))
    ]


def _rules_for(name: str, rules: Mapping[str, str]) -> Iterator[str]:
    """The rules for a name and for whatever holds it: `ctypes` is met by `ctypes.util`."""
    parts = name.split(".")
    for count in range(1, len(parts) + 1):
        rule = ".".join(parts[:count])
        if rule in rules:
            yield rule


def _names_of_imports(tree: ast.AST) -> dict[str, str]:
    """What names in the text stand for, as its import statements say."""
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for each in node.names:
                top = each.name.partition(".")[0]
                names[each.asname or top] = each.name if each.asname else top
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for each in node.names:
                names[each.asname or each.name] = f"{node.module}.{each.name}"
    return names


def _used(tree: ast.AST, known: Mapping[str, str]) -> Iterator[tuple[str, int]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((each.name, node.lineno) for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from ((f"{node.module}.{each.name}", node.lineno) for each in node.names)
        elif isinstance(node, ast.Attribute):
            if name := _dotted(node, known):
                yield name, node.lineno
        elif isinstance(node, ast.Call):
            yield from _called(node, known)


def _called(node: ast.Call, known: Mapping[str, str]) -> Iterator[tuple[str, int]]:
    name = _dotted(node.func, known) or (node.func.id if isinstance(node.func, ast.Name) else None)
    if name is None:
        return
    yield name, node.lineno
    if name in _IMPORTERS and node.args:
        first = node.args[0]
        if isinstance(first, ast.Constant) and isinstance(first.value, str):
            yield first.value, node.lineno


def _dotted(node: ast.AST, known: Mapping[str, str]) -> str | None:
    """`system` of `from os import system`, or `o.system` of `import os as o`: both `os.system`."""
    attributes: list[str] = []
    while isinstance(node, ast.Attribute):
        attributes.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or node.id not in known:
        return None
    return ".".join((known[node.id], *reversed(attributes)))


def _fork_bombs(tree: ast.AST, known: Mapping[str, str]) -> Iterator[tuple[str, int]]:
    for node in ast.walk(tree):
        if isinstance(node, _LOOPS) or (isinstance(node, _FUNCTIONS) and _calls_itself(node)):
            for below in ast.walk(node):
                if isinstance(below, ast.Call) and _dotted(below.func, known) in _FORKS:
                    yield FORK_BOMB, below.lineno


def _calls_itself(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == function.name
        for node in ast.walk(function)
    )
