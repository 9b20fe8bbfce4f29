"""Borders that import-linter cannot see: they are calls, not imports."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from tests.architecture.sources import name_of, python_files, tree_of

# What may commit, and why.
COMMITS: Final = {
    "backend/callsheet/db/transaction.py": "the transaction of the product",
    "backend/callsheet/db/migrate.py": "a migration is a transaction of its own",
    "alembic/env.py": "a migration is a transaction of its own",
}

# What may touch the environment of the process, and why.
READS_ENVIRONMENT: Final = "backend/callsheet/settings/"
ENVIRONMENT_REASONS: Final = {
    "backend/callsheet/crew/quiet.py": "CrewAI is told its switches through it; nothing is read",
    "backend/callsheet/llm/litellm_library.py": "LiteLLM is told its switches through it",
}


def lines_with(path: Path, is_it: Callable[[ast.AST], bool]) -> Iterator[str]:
    for node in ast.walk(tree_of(path)):
        if is_it(node):
            yield f"{name_of(path)}:{getattr(node, 'lineno', 0)}"


def is_commit(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "commit"
    )


def is_environment(node: ast.AST) -> bool:
    """`os.environ`, `os.getenv`, `os.putenv`, and the names imported from os."""
    names = {"environ", "getenv", "putenv", "environb"}
    if isinstance(node, ast.Attribute):
        return isinstance(node.value, ast.Name) and node.value.id == "os" and node.attr in names
    if isinstance(node, ast.ImportFrom):
        return node.module == "os" and any(alias.name in names for alias in node.names)
    return False


def test_only_the_transaction_commits() -> None:
    found = [
        line
        for path in python_files("backend", "alembic")
        if name_of(path) not in COMMITS
        for line in lines_with(path, is_commit)
    ]

    assert found == []


def test_only_the_settings_read_the_environment() -> None:
    found = [
        line
        for path in python_files("backend", "alembic")
        if not name_of(path).startswith(READS_ENVIRONMENT)
        and name_of(path) not in ENVIRONMENT_REASONS
        for line in lines_with(path, is_environment)
    ]

    assert found == []


def test_the_rules_see_what_they_forbid() -> None:
    commit = ast.parse("session.commit()")
    reads = ast.parse("import os\nfrom os import getenv\nos.environ['A']\nos.getenv('B')")

    assert sum(map(is_commit, ast.walk(commit))) == 1
    assert sum(map(is_environment, ast.walk(reads))) == 3
