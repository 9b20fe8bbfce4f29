"""Bytes on disk: whole or not there, found while they move, never outside the folder."""

from __future__ import annotations

import os
import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from callsheet.artifacts.folder import ArtifactFolder
from callsheet.kit.ids import new_id


@pytest.fixture
def folder(tmp_path: Path) -> ArtifactFolder:
    return ArtifactFolder(tmp_path / "data")


@contextmanager
def limited_files(size_bytes: int) -> Iterator[None]:
    """No file may grow beyond it, as on a disk that is full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


def bytes_of(folder: ArtifactFolder) -> list[bytes]:
    return sorted(path.read_bytes() for path in folder.path.rglob("*") if path.is_file())


def test_it_is_found_before_and_after_it_has_its_place(folder: ArtifactFolder) -> None:
    one = new_id()
    assert folder.find(one) is None
    folder.write(one, b"abc")
    waiting = folder.find(one)
    folder.settle(one)
    folder.settle(one)
    settled = folder.find(one)
    assert waiting is not None
    assert settled is not None
    assert waiting != settled
    assert settled.read_bytes() == b"abc"
    assert bytes_of(folder) == [b"abc"]
    assert settled.is_relative_to(folder.path)
    assert [each.stat().st_mode & 0o077 for each in (folder.path, settled.parent)] == [0, 0]


def test_it_is_removed_wherever_it_is(folder: ArtifactFolder) -> None:
    waiting, settled = new_id(), new_id()
    folder.write(waiting, b"1")
    folder.write(settled, b"2")
    folder.settle(settled)
    for each in (waiting, settled, new_id()):
        folder.remove(each)
        folder.remove(each)
    assert bytes_of(folder) == []


def test_only_what_waits_long_enough_was_left_behind(folder: ArtifactFolder) -> None:
    assert folder.left_waiting(2e9) == []
    old, fresh, settled = new_id(), new_id(), new_id()
    for each in (old, fresh, settled):
        folder.write(each, b"x")
    folder.settle(settled)
    found = folder.find(old)
    assert found is not None
    os.utime(found, (1_000, 1_000))
    (found.parent / "not-an-id").write_bytes(b"")
    assert folder.left_waiting(2_000) == [old]


def test_an_id_is_never_written_twice(folder: ArtifactFolder) -> None:
    one = new_id()
    folder.write(one, b"1")
    with pytest.raises(FileExistsError):
        folder.write(one, b"2")


def test_a_full_disk_keeps_no_half_of_a_file(folder: ArtifactFolder) -> None:
    with limited_files(1_000), pytest.raises(OSError, match="too large"):
        folder.write(new_id(), b"x" * 100_000)
    assert bytes_of(folder) == []
