"""An answer that may not be asked for: no money left, or no room at the provider."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest

from callsheet.events.call import LlmCallStarted
from callsheet.kit.deadline import Deadline
from callsheet.kit.errors import QuotaSpent, RateLimited
from tests.crew.asking import Desk, fault
from tests.fakes.chat import text


class Doors:
    """`RunRates` that open when a test says so, or never."""

    def __init__(self, *, full_from: int | None = None) -> None:
        self.open = asyncio.Event()
        self.waiting = asyncio.Event()
        self.asked: list[tuple[str, int]] = []
        self.inside = 0
        self._full_from = full_from

    def turn(
        self, factory: str, tokens: int, deadline: Deadline
    ) -> AbstractAsyncContextManager[None]:
        self.asked.append((factory, tokens))
        return self._turn()

    @asynccontextmanager
    async def _turn(self) -> AsyncIterator[None]:
        if self._full_from is not None and len(self.asked) >= self._full_from:
            raise RateLimited("full")
        self.waiting.set()
        await self.open.wait()
        self.inside += 1
        yield
        self.inside -= 1


async def test_a_spent_budget_ends_the_answer_and_sends_nothing() -> None:
    desk = Desk.of(text("never"), calls_within_budget=0)
    with pytest.raises(QuotaSpent):
        await desk.ask()
    assert desk.chat.requests == []
    assert [call.status for call in desk.calls] == ["refused"]
    assert (desk.finished.status, desk.finished.text) == ("partial", "")
    desk.recording.end()


async def test_a_budget_that_is_spent_before_another_attempt_ends_the_answer() -> None:
    desk = Desk.of([fault("provider_rate_limited")], text("never"), calls_within_budget=1)
    with pytest.raises(QuotaSpent):
        await desk.ask()
    assert [call.status for call in desk.calls] == ["failed", "refused"]
    assert len(desk.chat.requests) == 1
    assert desk.finished.status == "partial"
    desk.recording.end()


async def test_a_call_waits_for_its_turn_before_anything_is_written_and_leaves_it_when_it_is() -> (
    None
):
    doors = Doors()
    desk = Desk.of(text("Hello."), rates=doors)
    asking = asyncio.ensure_future(desk.ask())
    await doors.waiting.wait()
    assert desk.recording.of(LlmCallStarted) == []
    doors.open.set()
    assert (await asking).text == "Hello."
    assert doors.inside == 0
    ((factory, tokens),) = doors.asked
    assert factory == desk.recording.of(LlmCallStarted)[0].factory
    assert tokens > desk.recording.of(LlmCallStarted)[0].estimated_input_tokens
    desk.recording.end()


async def test_a_stop_while_it_waits_for_its_turn_leaves_nothing_behind() -> None:
    doors = Doors()
    desk = Desk.of(text("never"), rates=doors)
    asking = asyncio.ensure_future(desk.ask())
    await doors.waiting.wait()
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert desk.recording.kinds() == ["RunStarted"]
    desk.recording.end()


@pytest.mark.parametrize("full_from", [1, 2])
async def test_where_there_is_no_room_in_time_the_answer_fails(full_from: int) -> None:
    doors = Doors(full_from=full_from)
    doors.open.set()
    desk = Desk.of([fault("provider_rate_limited")], text("never"), rates=doors)
    with pytest.raises(RateLimited):
        await desk.ask()
    assert len(desk.chat.requests) == full_from - 1
    desk.recording.end()
