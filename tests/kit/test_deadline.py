"""Deadlines are handed down and only ever narrowed."""

from __future__ import annotations

import asyncio
import time

import pytest

from callsheet.kit.deadline import Deadline


def test_a_deadline_counts_down_and_never_below_zero() -> None:
    deadline = Deadline.after(60)
    assert 59 < deadline.left_s() <= 60
    assert not deadline.passed()
    gone = Deadline.after(-1)
    assert gone.left_s() == 0
    assert gone.passed()


def test_a_part_gets_no_more_time_than_the_whole_has() -> None:
    whole = Deadline(time.monotonic() + 10)
    assert whole.within(1000) == whole
    part = whole.within(1)
    assert 0.9 < part.left_s() <= 1
    assert part.within(5) == part


async def test_a_block_ends_at_the_deadline() -> None:
    begun = time.monotonic()
    with pytest.raises(TimeoutError):
        async with Deadline.after(0.02).timeout():
            await asyncio.Event().wait()
    assert time.monotonic() - begun >= 0.02


async def test_a_passed_deadline_lets_nothing_wait() -> None:
    with pytest.raises(TimeoutError):
        async with Deadline.after(-5).timeout():
            await asyncio.Event().wait()


async def test_a_block_that_is_quick_enough_is_left_alone() -> None:
    async with Deadline.after(60).timeout() as timeout:
        await asyncio.sleep(0)
    assert not timeout.expired()
