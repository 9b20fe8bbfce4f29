"""A file is whole or not there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from callsheet.cli.output import output_stream
from callsheet.kit.errors import SetupError


def test_a_file_takes_its_name_when_it_is_whole(tmp_path: Path) -> None:
    file = tmp_path / "report.csv"
    with output_stream(file) as stream:
        stream.write(b"new")
        assert not file.exists()
    assert file.read_bytes() == b"new"


def test_what_breaks_off_leaves_the_old_file(tmp_path: Path) -> None:
    file = tmp_path / "report.csv"
    file.write_bytes(b"old")

    def write_half() -> None:
        with output_stream(file) as stream:
            stream.write(b"new")
            raise ValueError("half way")

    with pytest.raises(ValueError, match="half way"):
        write_half()
    assert [path.name for path in tmp_path.iterdir()] == ["report.csv"]
    assert file.read_bytes() == b"old"


def test_a_link_stays_a_link_and_its_file_is_replaced(tmp_path: Path) -> None:
    file, link = tmp_path / "november.csv", tmp_path / "latest.csv"
    link.symlink_to(file)
    with output_stream(link) as stream:
        stream.write(b"new")
    assert link.is_symlink()
    assert file.read_bytes() == b"new"


def test_a_pipe_is_written_to_and_never_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        with output_stream(pipe) as stream:
            stream.write(b"new")
        assert os.read(reading, 10) == b"new"
    finally:
        os.close(reading)
    assert pipe.is_fifo()


def test_what_stands_in_the_way_of_the_unfinished_file_is_not_followed(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_bytes(b"old")
    (tmp_path / f".report.csv.{os.getpid()}.part").symlink_to(precious)

    def write() -> None:
        with output_stream(tmp_path / "report.csv") as stream:
            stream.write(b"new")

    with pytest.raises(SetupError, match="cannot be written"):
        write()
    assert precious.read_bytes() == b"old"
