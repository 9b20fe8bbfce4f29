from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from callsheet.tools.sandbox.kept import Kept


def test_a_character_is_never_cut_in_two() -> None:
    kept = Kept(4)

    assert kept.add("aéé".encode()) == "aé"
    assert kept.text() == "aé"
    assert kept.dropped_bytes == 2


def test_a_character_that_comes_in_two_pieces_is_one() -> None:
    kept = Kept(100)
    raw = "€".encode()

    assert kept.add(raw[:2]) == ""
    assert kept.add(raw[2:]) == "€"


def test_what_is_no_text_is_replaced_and_counts_as_it_is_kept() -> None:
    kept = Kept(7)

    assert kept.add(b"a\xff\0b\xff") == "a\ufffd\ufffd"
    assert kept.dropped_bytes == 4


def test_half_a_character_at_the_end_is_replaced() -> None:
    kept = Kept(10)
    kept.add(b"\xe2\x82")

    assert kept.end() == "\ufffd"


def test_nothing_is_kept_after_something_was_dropped() -> None:
    kept = Kept(3)
    kept.add(b"abcd")

    assert kept.add(b"e") == ""
    assert kept.text() == "abc"
    assert kept.dropped_bytes == 2


@given(st.lists(st.binary(max_size=9)), st.integers(min_value=0, max_value=40))
def test_whatever_comes_is_a_beginning_within_the_limit(pieces: list[bytes], most: int) -> None:
    kept = Kept(most)
    told = [kept.add(piece) for piece in pieces]
    told.append(kept.end())
    whole = b"".join(pieces).decode("utf-8", "replace").replace("\0", "\ufffd")

    assert kept.text() == "".join(told)
    assert whole.startswith(kept.text())
    assert len(kept.text().encode()) <= most
    assert len(kept.text().encode()) + kept.dropped_bytes == len(whole.encode())
