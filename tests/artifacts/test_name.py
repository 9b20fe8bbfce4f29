"""A file's name is data: it leads nowhere and hides nothing."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.artifacts.name import LONGEST_NAME, clean_name


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("plot.png", "plot.png"),
        ("out/r.txt", "out/r.txt"),
        ("图表 1.png", "图表 1.png"),
        ("/etc/passwd", "etc/passwd"),
        ("../../etc/passwd", "etc/passwd"),
        ("a/../../b", "a/b"),
        ("./x/./y", "x/y"),
        ("..\\..\\boot.ini", "boot.ini"),
        ("a\x00b\r\nc\x1b[2J.txt", "abc[2J.txt"),
        ("harmless\u202egpj.exe", "harmlessgpj.exe"),
        ("lone\ud800.txt", "lone\ufffd.txt"),
        ("  spaced / name  ", "spaced/name"),
        ("", "file"),
        ("..", "file"),
        ("///", "file"),
    ],
)
def test_a_name_stays_below_and_visible(raw: str, clean: str) -> None:
    assert clean_name(raw) == clean


def test_a_long_name_keeps_its_ending() -> None:
    name = clean_name("d/" * 300 + "x" * 300 + ".csv")
    assert len(name) <= LONGEST_NAME
    assert name.endswith("x.csv")
    assert not name.startswith("/")


@given(st.text(max_size=600))
def test_whatever_a_tool_says_the_name_leads_nowhere(raw: str) -> None:
    name = clean_name(raw)
    assert 0 < len(name) <= LONGEST_NAME
    assert {"", ".", ".."}.isdisjoint(name.split("/"))
    assert "\\" not in name
    assert name.encode("utf-8").decode() == name
    assert all(unicodedata.category(c) not in {"Cc", "Cf", "Cs", "Zl", "Zp"} for c in name)
    assert clean_name(name) == name
