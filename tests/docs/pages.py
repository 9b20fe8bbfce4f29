"""The pages of the documentation, and what is in them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from tests.architecture.sources import ROOT

PAGES: Final = sorted(
    [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "config").rglob("*.md")]
)
_FENCE: Final = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK: Final = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def text_of(name: str) -> str:
    """A page by its path in the repository."""
    return (ROOT / name).read_text("utf-8")


def blocks(text: str, language: str) -> list[str]:
    """The fenced blocks of a language, in order."""
    return [body for found, body in _FENCE.findall(text) if found == language]


def prose(text: str) -> str:
    """The page without its fenced blocks."""
    return _FENCE.sub("", text)


def links(text: str) -> list[str]:
    """Where the page's links go to."""
    return _LINK.findall(prose(text))


def headings(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub names them."""
    found = re.findall(r"^#+ (.+)$", prose(page.read_text("utf-8")), re.MULTILINE)
    return {anchor(heading) for heading in found}


def anchor(heading: str) -> str:
    """`## 1. What it is` -> `1-what-it-is`."""
    kept = re.sub(r"[^\w\- ]", "", heading.strip().lower())
    return kept.replace(" ", "-")
