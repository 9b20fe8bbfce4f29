"""`.env` is read as plain text; a difference to the environment never shows a value."""

from __future__ import annotations

from pathlib import Path

import pytest

from callsheet.settings.env_file import Difference, differences, mask, read_env_file


def test_only_our_variables_are_taken_and_nothing_is_filled_in(tmp_path: Path) -> None:
    env_file = tmp_path / ".env"
    env_file.write_text(
        "# comment\nexport CALLSHEET_A='x $HOME # y'\nCALLSHEET_B=1 # two\nHOME=/h\nCALLSHEET_C\n"
    )
    assert read_env_file(env_file) == {"CALLSHEET_A": "x $HOME # y", "CALLSHEET_B": "1"}


def test_no_file_is_no_variables(tmp_path: Path) -> None:
    assert read_env_file(tmp_path / ".env") == {}


def test_only_what_both_set_otherwise_differs() -> None:
    found = differences({"A": "1", "B": "2", "C": "3"}, {"B": "2", "C": "4", "D": "5"})
    assert found == [Difference("C", "*** (1 characters)", "*** (1 characters)")]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("", "(empty)"),
        ("short", "*** (5 characters)"),
        ("sk-0123456789abcdef", "sk***ef (19 characters)"),
    ],
)
def test_a_mask_keeps_the_middle_back(value: str, shown: str) -> None:
    assert mask(value) == shown
