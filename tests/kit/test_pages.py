"""Cursors: opaque, exact, and refused where they are not ours."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from uuid import UUID

import pytest

from callsheet.kit.errors import BadInput
from callsheet.kit.pages import decode_cursor, encode_cursor

ID = UUID("01900000-0000-7000-8000-000000000001")
MOMENT = datetime(2026, 11, 30, 12, 0, 0, 123456, tzinfo=UTC)


def test_a_cursor_gives_back_exactly_the_key_it_was_made_from() -> None:
    cursor = encode_cursor(MOMENT, ID)
    assert decode_cursor(cursor, datetime, UUID) == (MOMENT, ID)
    assert decode_cursor(encode_cursor(7), int) == (7,)
    assert cursor.replace("-", "").replace("_", "").isalnum()


@pytest.mark.parametrize(
    "cursor",
    [
        "",
        "x",
        "!!",
        "汉字",
        "bnVsbA",
        encode_cursor(7),
        encode_cursor(MOMENT),
        encode_cursor(ID, ID),
    ],
)
def test_a_cursor_of_something_else_is_refused(cursor: str) -> None:
    with pytest.raises(BadInput) as caught:
        decode_cursor(cursor, datetime, UUID)
    assert caught.value.extra["field"] == "cursor"


@pytest.mark.parametrize("number", [1 << 31, -(1 << 31) - 1, 10**30])
def test_a_number_that_no_column_holds_is_refused(number: int) -> None:
    with pytest.raises(BadInput):
        decode_cursor(encode_cursor(number), int)


def test_a_moment_is_given_back_in_utc() -> None:
    there = MOMENT.astimezone(timezone(timedelta(hours=8)))
    assert decode_cursor(encode_cursor(there), datetime) == (MOMENT,)
    assert decode_cursor(encode_cursor(MOMENT.replace(tzinfo=None)), datetime) == (MOMENT,)
    beyond = datetime.max.replace(tzinfo=timezone(timedelta(hours=-8)))
    with pytest.raises(BadInput):
        decode_cursor(encode_cursor(beyond), datetime)
