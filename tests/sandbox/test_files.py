"""Which files go back; the whole way of them is in `test_programs.py`."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from callsheet.tools.sandbox.file_types import FILE_TYPES, type_of
from callsheet.tools.sandbox.inside.files import Bounds, chosen, is_safe_name, regular_files

BOUNDS = Bounds(3, 100, 150, frozenset({"csv", "png"}))


def names(root: Path) -> list[str]:
    return [file.path for file in regular_files(str(root))]


def test_only_regular_files_are_seen(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "a.csv").write_text("1")
    (tmp_path / ".hidden").mkdir()
    (tmp_path / ".hidden" / "b.csv").write_text("1")
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "c.csv").write_text("1")
    (tmp_path / "passwd.csv").symlink_to("/etc/passwd")
    (tmp_path / "root").symlink_to("/")
    os.mkfifo(tmp_path / "pipe.csv")

    assert names(tmp_path) == ["out/a.csv"]


def test_what_lies_too_deep_is_not_seen(tmp_path: Path) -> None:
    deep = tmp_path.joinpath(*"abcdefghijkl")
    deep.mkdir(parents=True)
    (deep / "a.csv").write_text("1")

    assert names(tmp_path) == []


def test_the_choice_keeps_to_every_limit_and_says_why(tmp_path: Path) -> None:
    for name, size in {"a.csv": 90, "b.csv": 61, "c.csv": 60, "d.exe": 1, "e.csv": 101}.items():
        (tmp_path / name).write_bytes(b"x" * size)
    with (tmp_path / "sparse.csv").open("wb") as file:
        file.truncate(1 << 40)

    sent, skipped = chosen(regular_files(str(tmp_path)), {}, BOUNDS)

    assert [file.path for file in sent] == ["a.csv", "c.csv"]
    assert {one["name"]: one["reason"] for one in skipped} == {
        "b.csv": "all files together are larger than 150 bytes",
        "d.exe": "files of its type are not given back",
        "e.csv": "it is larger than 100 bytes",
        "sparse.csv": "it is larger than 100 bytes",
    }


def test_no_more_files_than_that(tmp_path: Path) -> None:
    for number in range(5):
        (tmp_path / f"{number}.csv").write_text("x")

    sent, skipped = chosen(regular_files(str(tmp_path)), {}, BOUNDS)

    assert len(sent) == 3
    assert [one["reason"] for one in skipped] == ["more than 3 files"] * 2


def test_what_was_there_before_goes_back_only_where_it_changed(tmp_path: Path) -> None:
    for name in ("same.csv", "changed.csv"):
        (tmp_path / name).write_text("1")
    before = {file.path: file for file in regular_files(str(tmp_path))}
    (tmp_path / "changed.csv").write_text("12")

    sent, skipped = chosen(regular_files(str(tmp_path)), before, BOUNDS)

    assert [file.path for file in sent] == ["changed.csv"]
    assert skipped == []


@pytest.mark.parametrize(
    "name", ["plot.png", "out/r.txt", "sp ace.png", "é" * 80 + ".png", "漢字.csv", "a..b.png"]
)
def test_names_that_are_safe(name: str) -> None:
    assert is_safe_name(name)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "/etc/passwd",
        "../a.png",
        "a/../../b.png",
        "a//b.png",
        "./a.png",
        "..\\..\\evil.png",
        "c:evil.png",
        "a\nb.png",
        "a\x00.png",
        "\u202egnp.exe",
        "\udcff\udcfe.png",
        " a.png",
        "x" * 250 + ".png",
    ],
)
def test_names_that_are_not(name: str) -> None:
    assert not is_safe_name(name)


@pytest.mark.parametrize(
    ("name", "data", "fits"),
    [
        ("a.png", b"\x89PNG\r\n\x1a\n....", True),
        ("a.PNG", b"<html>", False),
        ("a.webp", b"RIFF\0\0\0\0WEBPVP8 ", True),
        ("a.webp", b"RIFF\0\0\0\0WAVEfmt ", False),
        ("a.csv", "größe,1\n".encode(), True),
        ("a.csv", b"\x80\x81", False),
        ("a.csv", b"a\0b", False),
        ("a.xlsx", b"PK\x03\x04...", True),
    ],
)
def test_what_is_in_a_file_has_to_fit_its_ending(name: str, data: bytes, fits: bool) -> None:
    kind = type_of(name)

    assert kind is not None
    assert kind.fits(data) == fits


def test_unknown_endings_have_no_type() -> None:
    assert type_of("a.exe") is None
    assert type_of("png") is None
    assert all(ending == ending.lower() for ending in FILE_TYPES)
