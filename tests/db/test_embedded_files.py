"""Where the embedded server's files lie, and who may reach them."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp

import pytest

from callsheet.db.embedded.binaries import Binaries, find_binaries, reachable_binaries
from callsheet.db.embedded.cluster import last_words
from callsheet.db.embedded.identity import NOBODY, Identity, server_identity
from callsheet.db.embedded.layout import layout_of, make_root, make_sockets
from callsheet.kit.errors import SetupError
from callsheet.kit.places import default_data_dir, shipped

STRANGER = Identity(NOBODY, NOBODY, switched=True)
ME = Identity(os.geteuid(), os.getegid(), switched=False)


@pytest.fixture
def folder() -> Iterator[Path]:
    path = Path(mkdtemp(prefix="cs-", dir="/tmp"))
    path.chmod(0o711)
    yield path
    subprocess.run(["rm", "-rf", str(path)], check=True)


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_the_programs_are_found_without_their_python_layer() -> None:
    found = find_binaries()
    said = subprocess.run(
        [found.program("postgres"), "--version"], capture_output=True, text=True, check=True
    )
    assert said.stdout.startswith(f"postgres (PostgreSQL) {found.major}.")
    assert all(found.program(name).is_file() for name in ("psql", "pg_dump", "pg_restore"))


def test_a_machine_without_the_programs_is_told_the_way_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(SetupError, match=r"not installed.*CALLSHEET_DATABASE__URL"):
        find_binaries("there_is_no_such_wheel")
    (tmp_path / "empty_wheel" / "pginstall18" / "bin").mkdir(parents=True)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(SetupError, match=r"no PostgreSQL programs.*CALLSHEET_DATABASE__URL"):
        find_binaries("empty_wheel")


def test_programs_out_of_reach_are_copied_once_with_their_libraries(folder: Path) -> None:
    own = find_binaries()
    package = own.folder.parent
    private = folder / "private"
    private.mkdir(mode=0o700)
    programs = private / package.name / own.folder.name / "bin"
    programs.mkdir(parents=True)
    for name in ("initdb", "postgres"):
        shutil.copy2(own.program(name), programs)
    libraries = f"{package.name}.libs"
    shutil.copytree(package.with_name(libraries), private / libraries)
    hidden = Binaries(private / package.name / own.folder.name, own.major)
    assert reachable_binaries(hidden, ME, folder / "programs") == hidden

    other = Identity(ME.uid + 1, ME.gid + 1, switched=True)
    copy = reachable_binaries(hidden, other, folder / "programs")
    assert folder / "programs" in copy.folder.parents
    assert other.can_reach(copy.program("postgres"))
    said = subprocess.run([copy.program("initdb"), "--version"], capture_output=True, check=True)
    assert said.stdout.startswith(b"initdb (PostgreSQL) ")
    first = copy.program("postgres").stat().st_ino
    again = reachable_binaries(hidden, other, folder / "programs")
    assert again.program("postgres").stat().st_ino == first
    assert mode(private) == 0o700


def test_a_closed_parent_is_refused_and_never_opened(folder: Path) -> None:
    closed = folder / "home"
    closed.mkdir(mode=0o700)
    other = Identity(ME.uid + 1, ME.gid + 1, switched=True)
    with pytest.raises(SetupError, match=r"may not enter .*/home.*CALLSHEET_DATA_DIR"):
        make_root(layout_of(closed / "callsheet"), other)
    assert mode(closed) == 0o700


def test_folders_that_are_made_are_passable_but_not_readable_for_others(folder: Path) -> None:
    layout = layout_of(folder / "a" / "b")
    make_root(layout, Identity(ME.uid + 1, ME.gid + 1, switched=True))
    assert [mode(each) for each in (folder / "a", folder / "a/b", layout.root)] == [0o711] * 3
    private = layout_of(folder / "own")
    make_root(private, ME)
    assert [mode(each) for each in (folder / "own", private.root)] == [0o700] * 2


def test_a_long_data_folder_gets_a_short_socket(folder: Path) -> None:
    short = layout_of(folder)
    assert short.socket == folder / "postgres/run/.s.PGSQL.5432"
    long = layout_of(folder / ("long" * 30))
    assert len(str(long.socket)) < 100
    assert long.sockets == layout_of(folder / ("long" * 30)).sockets
    assert long.sockets != layout_of(folder / ("long" * 31)).sockets


def test_a_socket_folder_of_somebody_else_is_refused(folder: Path) -> None:
    layout = layout_of(folder)
    layout.root.mkdir()
    (folder / "elsewhere").mkdir()
    layout.sockets.symlink_to(folder / "elsewhere")
    with pytest.raises(SetupError, match="belongs to somebody else"):
        make_sockets(layout, ME)
    layout.sockets.unlink()
    make_sockets(layout, ME)
    make_sockets(layout, ME)
    assert mode(layout.sockets) == 0o700
    with pytest.raises(SetupError, match="belongs to somebody else"):
        make_sockets(layout, Identity(ME.uid + 1, ME.gid, switched=False))


def test_root_runs_the_server_as_the_owner_of_the_cluster_or_as_nobody(folder: Path) -> None:
    if os.geteuid() != 0:
        assert server_identity(folder) == ME
        return
    assert server_identity(folder / "none") == STRANGER
    owned = folder / "data"
    owned.mkdir()
    assert server_identity(owned) == STRANGER
    os.chown(owned, 1234, 5678)
    assert server_identity(owned) == Identity(1234, 5678, switched=True)


def test_the_data_folder_of_root_is_outside_its_closed_home() -> None:
    assert default_data_dir(uid=0, home=Path("/root")) == Path("/var/lib/callsheet")
    assert default_data_dir(uid=1000, home=Path("/home/a")) == Path(
        "/home/a/.local/share/callsheet"
    )


def test_what_ships_is_found_and_what_does_not_is_named() -> None:
    assert (shipped("alembic") / "env.py").is_file()
    with pytest.raises(SetupError, match="'recipes' ships with Callsheet but is in neither"):
        shipped("recipes")


def test_the_end_of_a_log_is_told_in_one_line(tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    assert last_words(log) == f"nothing was logged (log: {log})"
    log.write_text("LOG: old\nFATAL: old\n")
    start = log.stat().st_size
    with log.open("a") as file:
        file.write("LOG: starting\nFATAL:  no room\nHINT: make room\n")
    assert last_words(log, start) == f"FATAL:  no room (log: {log})"
    log.write_text("quiet\n")
    assert last_words(log) == f"quiet (log: {log})"
