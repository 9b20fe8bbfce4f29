from __future__ import annotations

from typing import Any

import pytest

from callsheet.agui.context import MOST_CHARS, context_text


@pytest.mark.parametrize(
    ("entries", "text"),
    [
        ([], ""),
        ([{"description": "The page", "value": "Cart"}], "The page:\nCart"),
        (
            [{"value": {"items": 2}}, {"description": 7, "value": "x"}, {"description": "empty"}],
            '{"items":2}\n\nx',
        ),
        ([{"description": "a", "value": ""}, {}], ""),
    ],
)
def test_entries_become_one_text(entries: list[dict[str, Any]], text: str) -> None:
    assert context_text(entries) == text


def test_too_much_is_cut_and_says_so() -> None:
    text = context_text([{"value": "x" * MOST_CHARS}, {"value": "y"}])
    assert text.startswith("x" * MOST_CHARS)
    assert text.endswith("[cut: the rest was too long]")
    assert "y" not in text
