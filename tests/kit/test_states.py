from __future__ import annotations

from callsheet.kit.states import StateTable

DOOR: StateTable[str] = StateTable({"shut": ("open",), "open": ("shut", "gone"), "gone": ()})


def test_a_table_says_what_may_follow_and_what_may_come_before() -> None:
    assert DOOR.states == ("shut", "open", "gone")
    assert DOOR.after("open") == ("shut", "gone")
    assert DOOR.before("gone") == ("open",)
    assert DOOR.allows("shut", "open")
    assert not DOOR.allows("shut", "gone")
    assert not DOOR.allows("gone", "gone")
    assert list(DOOR) == [("shut", "open"), ("open", "shut"), ("open", "gone")]
