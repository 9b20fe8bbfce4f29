"""How long a user in trouble has to wait, and what is remembered of it."""

from __future__ import annotations

from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from callsheet.admission.slow_down import LONGEST_WAIT_S, PATIENCE, SlowDown, wait_s
from tests.fakes.clock import HandClock

ADA, EVE = UUID(int=1), UUID(int=2)


def test_the_wait_begins_with_the_fifth_trouble_and_doubles_up_to_a_minute() -> None:
    assert [wait_s(number) for number in range(4, 14)] == [0, 1, 2, 4, 8, 16, 32, 60, 60, 60]


@given(st.integers(0, 10**9))
def test_a_wait_never_shrinks_with_more_troubles_and_has_an_end(troubles: int) -> None:
    assert wait_s(troubles) <= wait_s(troubles + 1) <= LONGEST_WAIT_S
    assert (wait_s(troubles) > 0) == (troubles >= PATIENCE)


def test_only_a_user_who_had_trouble_lately_is_looked_up() -> None:
    clock = HandClock()
    slow_down = SlowDown(clock)
    slow_down.note(ADA)
    clock.forward(299)
    assert slow_down.suspects(ADA)
    assert not slow_down.suspects(EVE)
    clock.forward(2)
    assert not slow_down.suspects(ADA)


def test_who_is_told_to_wait_is_turned_away_until_the_wait_is_over_and_counted() -> None:
    clock = HandClock()
    slow_down = SlowDown(clock)
    slow_down.note(ADA)
    assert slow_down.block(ADA, 4) == 0
    clock.forward(1)
    assert [slow_down.left_s(ADA), slow_down.left_s(ADA)] == [3, 3]
    assert slow_down.left_s(EVE) == 0
    clock.forward(3)
    assert slow_down.left_s(ADA) == 0
    assert slow_down.block(ADA, 8) == 2


def test_memory_has_an_end() -> None:
    slow_down = SlowDown(HandClock())
    for number in range(10_001):
        slow_down.note(UUID(int=number))
    assert not slow_down.suspects(UUID(int=0))
    assert slow_down.suspects(UUID(int=1))
