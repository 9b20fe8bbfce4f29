"""A title is the first 24 characters as a reader counts them, and always fits its column."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.sessions.title import MAX_STORED, title_of

NOW = datetime(2026, 11, 30, 8, 15, tzinfo=UTC)
FALLBACK = "新对话 2026-11-30 08:15"
FAMILY = "👨‍👩‍👧‍👦"
KISS = "👩🏽‍❤️‍💋‍👨🏽"
TONES = "👩🏽‍🦰"


def title(text: str) -> str:
    return title_of(text, NOW, "新对话")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hello", "Hello"),
        ("  What is\n\t17*23,   please?  ", "What is 17*23, please?"),
        ("abcdefghijklmnopqrstuvwxyz", "abcdefghijklmnopqrstuvwx"),
        ("abcdefghijklmnopqrstuvw xyz", "abcdefghijklmnopqrstuvw"),
        ("请" * 30, "请" * 24),
        ("中文　空格", "中文 空格"),
        (FAMILY * 30, FAMILY * 24),
        (TONES * 30, TONES * 24),
        ("👍🏽" * 30, "👍🏽" * 24),
        ("🇨🇳" * 30, "🇨🇳" * 24),
        ("🇨🇳🇫" + "x" * 30, "🇨🇳🇫" + "x" * 22),
        ("1️⃣" * 30, "1️⃣" * 24),
        ("e\u0301" * 30, "e\u0301" * 24),
        ("नमस्ते" * 10, "नमस्ते" * 6),
        ("مرحبا بالعالم", "مرحبا بالعالم"),
        ("\u202eabc\u202c", "abc"),
        ("\u200fשלום\u200e", "שלום"),
        ("a\x00b\x07c\x1b[31m", "abc[31m"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("zero\u200bwidth\ufeff", "zerowidth"),
        ("\u0301first a mark", "first a mark"),
        ("joined\u200d", "joined"),
        ("\U0001fae8 new emoji", "\U0001fae8 new emoji"),
        ("private \ue000 use", "private use"),
    ],
)
def test_a_title_is_what_a_reader_sees(text: str, expected: str) -> None:
    assert title(text) == expected


@pytest.mark.parametrize(
    "text", ["", "   \n\t", "\x00\x07", "\u200b\u2060\ufeff", "\u0301\u0302", "\u200d", "\ue000"]
)
def test_without_anything_visible_the_word_and_the_moment_stand_in(text: str) -> None:
    assert title(text) == FALLBACK
    assert title_of(text, NOW, "New chat") == "New chat 2026-11-30 08:15"


def test_characters_of_many_parts_end_at_a_whole_one_where_the_column_is_full() -> None:
    shown = title(KISS * 30)
    assert len(shown) <= MAX_STORED
    assert shown == KISS * (len(shown) // len(KISS))
    assert len(title("a" + "\u0301" * 1000)) == MAX_STORED
    assert title("ab" + "\u0301" * 1000) == "a"


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=400))
def test_any_text_gives_a_title_that_can_be_stored(text: str) -> None:
    shown = title(text)
    assert 1 <= len(shown) <= MAX_STORED
    assert shown == shown.strip()
    assert not any(ord(char) < 32 for char in shown)
