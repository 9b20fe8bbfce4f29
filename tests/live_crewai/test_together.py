"""Many turns at once share a client and nothing else."""

from __future__ import annotations

import asyncio
import re

from callsheet.events.call import LlmCallFinished
from callsheet.events.usage import Usage
from tests.fakes.provider.server import FakeProvider
from tests.fakes.stage import agent, stage_work, task
from tests.fakes.turn import Recording
from tests.live_crewai.playing import Play, models_at, real_client

TURNS = 50
WORDS = [f"w{number:05}" for number in range(20)]


def usage_of(recordings: list[Recording]) -> Usage:
    total = Usage()
    for recording in recordings:
        for call in recording.of(LlmCallFinished):
            assert call.metered.source == "provider"
            total = total.plus(call.metered.usage)
    return total


async def test_fifty_turns_have_their_own_words_in_order_and_their_own_tokens(
    provider: FakeProvider,
) -> None:
    provider.play(chunks=20, gap_s=0.002, first_byte_s=0.05, echo=True, vary=True)

    async def turn(client: object, number: int) -> Play:
        play = Play.of(client, models=models_at(provider))  # type: ignore[arg-type]
        work = stage_work(
            [agent("a"), agent("b")],
            [task("one", "a"), task("two", "b", context=("one",))],
            message=f"Please say marker-{number:04}",
        )
        result = await play.run(work)
        assert set(re.findall(r"marker-\d{4}", result.text)) == {f"marker-{number:04}"}
        assert re.findall(r"w\d{5}", result.text) == WORDS
        play.recording.end()
        return play

    async with real_client() as client, asyncio.TaskGroup() as group:
        running = [group.create_task(turn(client, number)) for number in range(TURNS)]
    plays = [task.result() for task in running]
    for number, play in enumerate(plays):
        said = set(re.findall(r"marker-\d{4}", play.recording.text))
        assert said == {f"marker-{number:04}"}
    used = usage_of([play.recording for play in plays])
    billed = provider.stats.billed
    assert (used.input_tokens, used.output_tokens) == (billed.prompt, billed.completion)
    assert provider.stats.requests == 2 * TURNS
    assert provider.stats.max_open >= TURNS // 2


async def test_usage_is_exact_however_the_answer_is_cut(provider: FakeProvider) -> None:
    plays = []
    async with real_client() as client:
        for chunks in (1, 7, 50):
            provider.play(chunks=chunks, vary=True, reasoning=3, reasoning_tokens=2)
            play = Play.of(client, models=models_at(provider))
            await play.run(stage_work())
            plays.append(play.recording)
    used, billed = usage_of(plays), provider.stats.billed
    assert (used.input_tokens, used.output_tokens, used.cached_tokens, used.reasoning_tokens) == (
        billed.prompt,
        billed.completion,
        billed.cached,
        billed.reasoning,
    )
