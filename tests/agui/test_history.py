"""What was said, in one frame that readers take."""

from __future__ import annotations

from uuid import UUID

from callsheet.agui.history import MOST_BYTES, messages_snapshot
from callsheet.sessions.shown import ShownMessage


def test_the_oldest_are_left_out_where_they_are_too_much_for_one_frame() -> None:
    third = "界" * (MOST_BYTES // 9 - 100)
    messages = [ShownMessage(UUID(int=number), "user", third) for number in range(5)]
    kept = messages_snapshot(messages)["messages"]
    assert [message["id"] for message in kept] == [str(UUID(int=number)) for number in (2, 3, 4)]


def test_what_json_spells_longer_counts_as_it_is_spelled() -> None:
    half = "\n" * (MOST_BYTES // 2)
    messages = [
        ShownMessage(UUID(int=number), "user", text) for number, text in enumerate((half, "x"))
    ]
    assert [message["content"] for message in messages_snapshot(messages)["messages"]] == ["x"]
