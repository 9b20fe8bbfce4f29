"""Which migrations exist, read from their files without importing any."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from callsheet.kit.errors import SetupError

_LINE: Final = re.compile(r"^(revision|down_revision)\b[^=\n]*=\s*(None|['\"]([^'\"]+)['\"])", re.M)


@dataclass(frozen=True, slots=True)
class Revisions:
    """Each migration's name and that of the one before it (None for the first)."""

    parents: Mapping[str, str | None]

    @property
    def head(self) -> str:
        """The newest migration; SetupError unless there is exactly one."""
        heads = sorted(set(self.parents) - set(self.parents.values()))
        if len(heads) != 1:
            raise SetupError(f"The migrations must end in one revision, these are ends: {heads}")
        return heads[0]


def read_revisions(folder: Path) -> Revisions:
    """The migrations in `folder` (the one that holds `env.py`)."""
    parents: dict[str, str | None] = {}
    for file in sorted((folder / "versions").glob("*.py")):
        found = {match[1]: match[3] for match in _LINE.finditer(file.read_text(encoding="utf-8"))}
        if name := found.get("revision"):
            parents[name] = found.get("down_revision")
    return Revisions(parents)
