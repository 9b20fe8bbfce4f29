"""A workflow's folder, read once: what is checked, hashed and run are the same bytes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from callsheet.kit.yaml_source import read_bytes

PARTS: Final = ("workflow.yaml", "agents.yaml", "tasks.yaml")
PROMPTS: Final = "prompts"


@dataclass(frozen=True, slots=True)
class Folder:
    """`files` maps each path inside the folder (with `/`) to its bytes; `shown` names the folder
    in problems.
    """

    name: str
    shown: str
    files: Mapping[str, bytes]

    def path(self, file: str) -> str:
        """The file as it is named in problems."""
        return f"{self.shown}/{file}"


def paths(folder: Path) -> list[Path]:
    """The files that make the workflow: the three parts and every prompt, sorted.

    Anything else in the folder (a README, an editor's swap file) plays no part.
    """
    parts = [folder / part for part in PARTS if (folder / part).is_file()]
    prompts = [path for path in (folder / PROMPTS).rglob("*.md") if path.is_file()]
    return sorted(parts + [path for path in prompts if not path.name.startswith(".")])


def read_folder(folder: Path, shown: str | None = None) -> Folder:
    """The folder's files.

    Raises:
        ConfigError: one of them cannot be read.
    """
    name = shown or str(folder)
    files: dict[str, bytes] = {}
    for path in paths(folder):
        inner = path.relative_to(folder).as_posix()
        files[inner] = read_bytes(path, f"{name}/{inner}")
    return Folder(folder.name, name, files)


def folders(root: Path) -> list[Path]:
    """The folders of `crews/` that are workflows, sorted; hidden ones and `_name` are not."""
    if not root.is_dir():
        return []
    return sorted(
        path for path in root.iterdir() if path.is_dir() and not path.name.startswith((".", "_"))
    )
