"""A place in a stream: how it is spelled, and what is behind it."""

from __future__ import annotations

from uuid import UUID

import pytest

from callsheet.agui.place import Place, parse_place, seen_of
from callsheet.kit.errors import BadInput

RUN = UUID("01890a5d-ac96-774b-bcce-b302099a8057")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (f"{RUN}:12.3", Place(12, 3)),
        (f"{RUN}:12.3".upper(), Place(12, 3)),
        ("12.3", Place(12, 3)),
        (" 12.3 ", Place(12, 3)),
        ("0", Place(0, 10**9)),
    ],
)
def test_a_place_is_a_frames_id_or_its_end(text: str, place: Place) -> None:
    assert parse_place(text, RUN, "after") == place


@pytest.mark.parametrize(
    "text", ["", "x", "1.", ".1", "1.2.3", "-1", "1e3", "9" * 19, f"{RUN}:", "\u0661"]
)
def test_what_is_no_place_is_refused_with_its_field(text: str) -> None:
    with pytest.raises(BadInput) as refused:
        parse_place(text, RUN, "Last-Event-ID")
    assert refused.value.extra["field"] == "Last-Event-ID"


def test_a_place_in_another_run_is_refused() -> None:
    with pytest.raises(BadInput, match="another run"):
        parse_place(f"{UUID(int=1)}:1.1", RUN, "after")


def test_of_the_entry_itself_only_the_frames_up_to_it_were_seen() -> None:
    after = Place(5, 2)
    assert [seen_of(seq, after) >= n for seq, n in [(4, 9), (5, 1), (5, 2), (5, 3), (6, 1)]] == [
        True, True, True, False, False,
    ]  # fmt: skip
    assert seen_of(1, None) == 0
