from __future__ import annotations

from pathlib import Path
from typing import Final

from tests.architecture.sources import ROOT, name_of, python_files

LIMIT_LINES: Final = 250

# A longer file, and why it is one noun that should not be cut.
REASONS: Final[dict[str, str]] = {
    "alembic/versions/2026_12_01_money.py": "what one release adds, each step beside its way back",
}


def lines_of(path: Path) -> int:
    return len(path.read_text("utf-8").splitlines())


def test_no_file_is_longer_than_a_reader_can_hold() -> None:
    long = {
        name_of(path): lines for path in python_files() if (lines := lines_of(path)) > LIMIT_LINES
    }

    unexplained = {name: lines for name, lines in long.items() if name not in REASONS}

    assert unexplained == {}, f"over {LIMIT_LINES} lines: split it, or give the reason in REASONS"


def test_every_reason_is_still_needed() -> None:
    stale = [
        name
        for name in REASONS
        if not (ROOT / name).exists() or lines_of(ROOT / name) <= LIMIT_LINES
    ]

    assert stale == []
