"""A stop ends an answer at once, wherever it has got to, and books what is known."""

from __future__ import annotations

import asyncio

import pytest

from callsheet.llm.chat import TextPart
from callsheet.llm.errors import ProviderError
from tests.crew.asking import Desk
from tests.fakes.chat import Wait, text


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


async def test_a_stop_between_two_attempts_ends_the_message() -> None:
    desk = Desk.of([ProviderError("slow down", code="provider_rate_limited", retry_after_s=5)])
    await _stopped(desk, 0.02)
    assert [call.status for call in desk.calls] == ["failed"]
    assert desk.finished.status == "partial"
