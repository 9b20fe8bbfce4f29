"""Work beside the turns goes on whatever befalls it, and ends when it is told to."""

from __future__ import annotations

import asyncio

import pytest

from callsheet.wiring.beside import keep_going


async def test_work_that_fails_is_begun_anew_until_it_is_stopped() -> None:
    begun: list[int] = []
    going_on = asyncio.Event()

    async def work() -> None:
        begun.append(len(begun))
        if len(begun) < 3:
            raise ZeroDivisionError("not foreseen")
        going_on.set()
        await asyncio.Event().wait()

    task = asyncio.ensure_future(keep_going(work, again_s=0))
    await going_on.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert begun == [0, 1, 2]
