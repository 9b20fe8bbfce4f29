from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

from tests.architecture.sources import ROOT

DECISIONS: Final = sorted((ROOT / "docs" / "decisions").glob("*.md"))
NAME: Final = re.compile(r"^\d{4}-[a-z0-9-]+\.md$")
SECTIONS: Final = ["Context", "Decision", "Consequences"]
STATUS: Final = re.compile(
    r"^Status: (accepted|superseded by \d{4}), \d{4}-\d{2}-\d{2}$", re.MULTILINE
)


@pytest.mark.parametrize("path", DECISIONS, ids=lambda path: path.name)
def test_a_decision_says_context_decision_and_consequences(path: Path) -> None:
    text = path.read_text("utf-8")

    assert NAME.match(path.name), "name it NNNN-what-was-decided.md"
    assert text.startswith("# "), "the first line is its title"
    assert STATUS.search(text), "it says `Status: accepted, YYYY-MM-DD`"
    assert [line[3:] for line in text.splitlines() if line.startswith("## ")] == SECTIONS


def test_no_number_is_given_twice() -> None:
    numbers = [path.name[:4] for path in DECISIONS]

    assert len(numbers) > 0
    assert len(numbers) == len(set(numbers))
