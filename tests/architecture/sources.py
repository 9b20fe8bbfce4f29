"""The project's own Python files, for the rules that are checked on their text."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
PACKAGE: Final = ROOT / "backend" / "callsheet"
_PLACES: Final = ("backend", "tests", "alembic", "scripts", "bench")
_NOT_OURS: Final = frozenset({"node_modules", "__pycache__"})


def python_files(*places: str) -> Iterator[Path]:
    """Every Python file under the places (default: all of them), sorted."""
    for place in places or _PLACES:
        for path in sorted((ROOT / place).rglob("*.py")):
            if not _NOT_OURS & set(path.parts):
                yield path


def name_of(path: Path) -> str:
    """The path as it is written in this repository."""
    return path.relative_to(ROOT).as_posix()


@functools.cache
def tree_of(path: Path) -> ast.Module:
    """The syntax tree of a file."""
    return ast.parse(path.read_text("utf-8"), filename=str(path))
