"""A stop ends an answer at once, wherever it has got to, and books what is known."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import pytest

from callsheet.crew.asker import Asker
from callsheet.events.usage import Bill
from callsheet.kit.clock import SystemClock
from callsheet.kit.errors import Unavailable
from callsheet.llm.chat import TextPart
from callsheet.llm.errors import ProviderError
from callsheet.llm.retry import RetryPolicy
from callsheet.turn.meter import CallEnd, CallIntent
from tests.crew.asking import Desk
from tests.fakes.chat import Wait, text
from tests.fakes.turn import FakeCall, FakeMeter

NO_RETRY = RetryPolicy(attempts=1, base_s=0.001)


async def _stopped(desk: Desk, after_s: float) -> None:
    running = asyncio.ensure_future(desk.ask())
    await asyncio.sleep(after_s)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert desk.chat.open == 0
    desk.recording.end()


async def test_a_stop_in_the_middle_closes_everything_at_once() -> None:
    desk = Desk.of([(TextPart("Some words"),), Wait(5)])
    await _stopped(desk, 0.02)
    (call,) = desk.calls
    assert (call.status, call.metered.source, call.error_code) == (
        "aborted",
        "estimated",
        "stopped",
    )
    assert (desk.finished.status, desk.finished.text) == ("partial", "Some words")


async def test_a_stop_after_the_providers_last_word_keeps_the_answer_whole() -> None:
    desk = Desk.of([*text("All of it."), Wait(5)])
    await _stopped(desk, 0.02)
    (call,) = desk.calls
    assert (call.status, call.metered.source) == ("settled", "provider")
    assert desk.finished.status == "final"


async def test_a_stop_while_the_row_is_committed_sends_nothing() -> None:
    desk = Desk.of(text("never"), commit_s=5)
    await _stopped(desk, 0.02)
    assert desk.chat.requests == []
    assert desk.finished.status == "partial"


async def test_a_journal_that_fails_at_the_first_words_leaves_no_stream_open() -> None:
    desk = Desk.of([(TextPart("Some words"),), Wait(5)])
    asker = Asker(desk.chat, FailingMeter(desk.recording), desk.recording, SystemClock(), NO_RETRY)
    with pytest.raises(Unavailable):
        await asker.ask(desk.question)
    assert desk.chat.open == 0


@dataclass
class FailingCall(FakeCall):
    """Its journal fails, and takes nothing from then on."""

    async def stored(self) -> None:
        raise Unavailable("The database does not answer.", service="database")

    def close(self, end: CallEnd) -> Bill:
        raise Unavailable("The database does not answer.", service="database")


class FailingMeter(FakeMeter):
    """Opens calls, and then the database goes."""

    async def open(self, intent: CallIntent) -> FakeCall:
        call = await super().open(intent)
        return FailingCall(self, call.started)


async def test_a_stop_between_two_attempts_ends_the_message() -> None:
    desk = Desk.of([ProviderError("slow down", code="provider_rate_limited", retry_after_s=5)])
    await _stopped(desk, 0.02)
    assert [call.status for call in desk.calls] == ["failed"]
    assert desk.finished.status == "partial"
