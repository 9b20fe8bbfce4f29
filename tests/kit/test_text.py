"""Whatever a client or a model sends becomes text that Postgres and strict JSON can hold."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsheet.kit.text import clean, sanitize

HIGH, LOW = "\ud83d", "\ude00"
ANY = st.text(
    st.one_of(
        st.characters(exclude_categories=[]),
        st.sampled_from(["\x00", HIGH, LOW, "\ufffd", "\ufeff", "\uffff", "😀"]),
    )
)


@pytest.mark.parametrize(
    ("text", "stored", "replaced"),
    [
        ("", "", False),
        ("Grüße, 世界 😀", "Grüße, 世界 😀", False),
        ("a\x00b", "a\ufffdb", True),
        (HIGH + LOW, "😀", False),
        (HIGH, "\ufffd", True),
        (LOW, "\ufffd", True),
        (f"x{HIGH}y", "x\ufffdy", True),
        (LOW + HIGH, "\ufffd\ufffd", True),
        (HIGH + HIGH + LOW, "\ufffd😀", True),
        (f"\ufeff{HIGH}{LOW}", "\ufeff😀", False),
        ("was \ufffd before", "was \ufffd before", False),
        (f"was \ufffd before {HIGH}{LOW}", "was \ufffd before 😀", False),
        ("was \ufffd before \x00", "was \ufffd before \ufffd", True),
    ],
)
def test_what_cannot_be_stored_is_replaced_and_told(text: str, stored: str, replaced: bool) -> None:
    assert sanitize(text) == (stored, replaced)


@given(ANY)
def test_any_text_becomes_storable(text: str) -> None:
    stored, replaced = sanitize(text)
    assert stored.encode() is not None
    assert "\x00" not in stored
    assert sanitize(stored) == (stored, False)
    assert clean(text) == stored
    if not replaced:
        assert stored.encode("utf-16") == text.encode("utf-16", "surrogatepass")


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00")))
def test_text_that_can_be_stored_is_left_alone(text: str) -> None:
    assert sanitize(text) == (text, False)
