"""A file is whole or not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from callsheet.cli.output import output_stream


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
