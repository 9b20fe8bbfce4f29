"""What a crew costs in CPU, without model, network and database."""

from __future__ import annotations

import time

from tests.fakes.chat import ScriptedChat, text
from tests.fakes.stage import stage_work
from tests.live_crewai.playing import Play

LIMIT_MS = 18.0
RUNS = 40


async def test_a_crew_of_one_task_stays_far_below_crewais_own_cost() -> None:
    """CrewAI's own akickoff with a model that does nothing takes 30 to 66 ms here."""
    chat = ScriptedChat(choose=lambda _: text("Hello"))
    for _ in range(3):
        await Play.of(chat).run(stage_work())
    began = time.process_time()
    for _ in range(RUNS):
        await Play.of(chat).run(stage_work())
    each_ms = (time.process_time() - began) / RUNS * 1000
    print(f"one-task crew: {each_ms:.1f} ms CPU")
    assert each_ms < LIMIT_MS
