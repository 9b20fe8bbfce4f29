"""A stop is quick, closes the provider's connection, and leaves nothing running or open."""

from __future__ import annotations

import asyncio
import time

import pytest

from callsheet.events.agent import AgentFinished
from callsheet.events.call import AnswerFinished, LlmCallFinished
from callsheet.kit.errors import AppError
from callsheet.llm.chat import TextPart
from callsheet.llm.errors import ProviderError
from tests.fakes.chat import ScriptedChat, Wait, text
from tests.fakes.provider.server import FakeProvider
from tests.fakes.stage import agent, stage_work, task
from tests.live_crewai.playing import Play, models_at, real_client


async def test_a_stop_takes_less_than_100_ms_and_closes_the_socket(provider: FakeProvider) -> None:
    provider.play(chunks=500, gap_s=0.02)
    async with real_client() as client:
        play = Play.of(client, models=models_at(provider))
        running = asyncio.ensure_future(play.run(stage_work()))
        await provider.until(lambda stats: stats.open == 1)
        while not play.recording.text:
            await asyncio.sleep(0.005)
        began = time.monotonic()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        took_s = time.monotonic() - began
        stats = await provider.until(lambda stats: bool(stats.disconnected))
    assert took_s < 0.1
    assert stats.disconnected[0].at_s - began < 1.0
    (call,) = play.recording.of(LlmCallFinished)
    assert (call.status, call.metered.source) == ("aborted", "estimated")
    assert [event.status for event in play.recording.of(AgentFinished)] == ["cancelled"]
    assert [event.status for event in play.recording.of(AnswerFinished)] == ["partial"]
    seen = len(play.recording.events)
    await asyncio.sleep(0.1)
    assert len(play.recording.events) == seen
    assert provider.stats.requests == 1
    play.recording.end()


async def test_tasks_side_by_side_are_all_stopped() -> None:
    chat = ScriptedChat(choose=lambda _: [(TextPart("word"),), Wait(5)])
    play = Play.of(chat)
    work = stage_work(
        [agent()],
        [task("one", async_execution=True), task("two", async_execution=True), task("join")],
    )
    running = asyncio.ensure_future(play.run(work))
    while chat.open < 2:
        await asyncio.sleep(0.005)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert chat.open == 0
    assert len(chat.requests) == 2
    play.recording.end()


async def test_tasks_side_by_side_are_stopped_before_they_have_begun() -> None:
    chat = ScriptedChat(choose=lambda _: text("never"))
    play = Play.of(chat)
    work = stage_work([agent()], [task("one", async_execution=True), task("two")])
    running = asyncio.ensure_future(play.run(work))
    for _ in range(2):
        await asyncio.sleep(0)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    seen = len(play.recording.events)
    await asyncio.sleep(0.05)
    assert len(play.recording.events) == seen
    assert chat.open == 0
    play.recording.end()


async def test_a_failure_stops_the_tasks_beside_it() -> None:
    refused = ProviderError("no", code="provider_refused")
    chat = ScriptedChat([[Wait(0.05), refused], [(TextPart("word"),), Wait(5)]])
    play = Play.of(chat)
    work = stage_work(
        [agent()],
        [task("one", async_execution=True), task("two", async_execution=True), task("join")],
    )
    with pytest.raises(ProviderError):
        await play.run(work)
    assert chat.open == 0
    assert sorted(event.status for event in play.recording.of(AgentFinished)) == [
        "failed",
        "failed",
    ]
    play.recording.end()


async def test_the_stages_deadline_has_its_own_code() -> None:
    play = Play.of(ScriptedChat([[Wait(5)]]))
    with pytest.raises(AppError) as raised:
        await play.run(stage_work(seconds=0.1))
    assert (raised.value.error_code, raised.value.status) == ("stage_timeout", 504)
    play.recording.end()
