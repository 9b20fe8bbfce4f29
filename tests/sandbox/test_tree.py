"""The image's files without a registry: what is left out, who owns what, no program with rights."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from callsheet.kit.errors import SetupError
from callsheet.tools.sandbox.image import packages_way
from callsheet.tools.sandbox.image.recipe import load_recipe
from callsheet.tools.sandbox.image.tree import make_tree
from callsheet.tools.sandbox.image.workshop import Workshop

SITE = "usr/local/lib/python3.11/dist-packages"


class PlayedShop(Workshop):
    """Does what the programs would do, in a few files."""

    def __init__(self, python: str = "python3.11") -> None:
        self.told: list[str] = []
        super().__init__(self.told.append)
        self.commands: list[list[str]] = []
        self._python = python

    def run(
        self,
        command: Sequence[object],
        env: Mapping[str, str] | None = None,
        *,
        may_fail: bool = False,
    ) -> None:
        words = [str(word) for word in command]
        self.commands.append(words)
        if words[0] == "mmdebstrap":
            Path(words[-1]).write_bytes(b"")
        elif words[0] == "tar":
            self._unpack(Path(words[words.index("-C") + 1]))
        elif "install" in words:
            site = Path(words[words.index("--target") + 1])
            for name in ("numpy/tests/test_it.py", "numpy/testing/it.py", "bin/f2py"):
                _write(site / name)

    def _unpack(self, root: Path) -> None:
        for name in ("usr/share/doc/it", "var/lib/dpkg/status", "usr/bin/su", "etc/x"):
            _write(root / name)
        (root / "usr/bin/su").chmod(0o4755)
        _write(root / "usr/share/ca-certificates/mozilla/a.crt")
        _write(root / "bin/dash")
        (root / "etc/ssl/certs").mkdir(parents=True)
        (root / "usr/bin/python3").symlink_to(self._python)


def _write(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(path.name, "utf-8")


@pytest.fixture(autouse=True)
def owners(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """Who was made the owner of what; only root may do it really."""
    found: dict[str, int] = {}

    def chown(path: Path, user: int, group: int) -> None:
        assert user == group
        found[path.name] = user

    monkeypatch.setattr(shutil, "chown", chown)
    return found


def test_the_tree_holds_what_a_program_needs_and_no_more(
    tmp_path: Path, owners: dict[str, int]
) -> None:
    shop = PlayedShop()

    root = make_tree(tmp_path, "bookworm", load_recipe().lock, Path("/usr/bin/python3"), shop)

    assert [step.partition(" ")[0] for step in shop.told] == [
        "unpacking",
        "installing",
        "compiling,",
    ]
    assert not (root / "usr/share/doc").exists()
    assert not (root / "var/lib/dpkg").exists()
    assert not (root / SITE / "numpy/tests").exists()
    assert (root / SITE / "numpy/testing/it.py").exists()
    assert not (root / SITE / "bin").exists()
    assert stat.S_IMODE((root / "usr/bin/su").stat().st_mode) == 0o755
    assert "sandbox:x:1000:1000" in (root / "etc/passwd").read_text("utf-8")
    assert (root / "etc/ssl/certs/ca-certificates.crt").read_text("utf-8") == "a.crt"
    assert (root / "bin/sh").readlink() == Path("dash")
    assert stat.S_IMODE((root / "tmp").stat().st_mode) == 0o1777
    assert owners == {"tmp": 0, "shm": 0, "mpl": 0, "workspace": 1000}
    [install] = [words for words in shop.commands if "install" in words]
    assert {"--require-hashes", "--only-binary=:all:", "--python-version=3.11"} <= set(install)


def test_a_release_with_an_old_python_is_refused(tmp_path: Path) -> None:
    shop = PlayedShop("python3.10")

    with pytest.raises(SetupError, match=r"Python 3\.10"):
        make_tree(tmp_path, "jammy", load_recipe().lock, Path("/usr/bin/python3"), shop)


@pytest.mark.parametrize(
    ("uid", "program", "suite", "missing"),
    [
        (1000, "/usr/bin/mmdebstrap", "bookworm", "needs root"),
        (0, None, "bookworm", "needs mmdebstrap"),
        (0, "/usr/bin/mmdebstrap", "", "a Debian or Ubuntu host"),
    ],
)
def test_what_a_machine_lacks_is_one_line(
    monkeypatch: pytest.MonkeyPatch, uid: int, program: str | None, suite: str, missing: str
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: uid)
    monkeypatch.setattr(shutil, "which", lambda *_, **__: program)
    monkeypatch.setattr(packages_way, "_suite", lambda: suite)
    monkeypatch.setattr(packages_way, "_pip", lambda: Path("/usr/bin/python3"))

    said = packages_way.lacks()

    assert said is not None
    assert missing in said
    assert "\n" not in said
