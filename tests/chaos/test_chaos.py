"""Processes are killed at random while clients talk, drop and come back: nothing is lost."""

from __future__ import annotations

import asyncio
import json
import os
import random

import msgspec
import pytest

from tests.chaos.fleet import Fleet, Role
from tests.chaos.talker import Talker
from tests.chaos.verdict import problems
from tests.fakes.chat_script import EXECUTION, chat_script
from tests.fakes.deployment import Deployment
from tests.fakes.provider.scenario import Rule, Scenario
from tests.fakes.provider.server import FakeProvider
from tests.fixtures.app import books_of

LONG = os.environ.get("CALLSHEET_TEST_CHAOS") == "long"
ROLES: tuple[Role, ...] = ("serve", "api", "worker", "worker") if LONG else ("serve", "worker")
TALKERS, TURNS, KILLS = (20, 12, 12) if LONG else (6, 3, 3)
EVERY_S = (2.0, 6.0) if LONG else (1.0, 2.5)
WITHIN_S = 120.0


async def conversation(talker: Talker, number: int, turns: int) -> None:
    for turn in range(turns):
        word = f"marker-{number:02}-{turn:02}-{talker.rng.randrange(10**9):09}"
        wish = "Send a mail about" if turn % 3 == 1 else "Repeat"
        await talker.say(f"{wish} {word}.", word, WITHIN_S)


def scenario() -> Scenario:
    """Slow enough to be killed in the middle; who asks for a mail gets one, once it is allowed."""
    paced = {"chunks": 20, "gap_s": 0.03}
    mail = {"to": ["ann@example.com"], "subject": "Hello", "body": "There"}
    tools = [{"name": "send_mail", "arguments": json.dumps(mail)}]
    plain = chat_script(echo=True, execution=paced, organization=paced)
    of_mail = Rule(match=f"{EXECUTION}.*Send a mail about (?!.*Repeat)", set={**paced,
                   "text": "The work is done.", "tools": tools})  # fmt: skip
    return msgspec.structs.replace(plain, rules=(of_mail, *plain.rules))


@pytest.mark.timeout(600)
async def test_nothing_is_lost_whatever_is_killed(
    deployment: Deployment, database_url: str, provider: FakeProvider
) -> None:
    seed = int(os.environ.get("CALLSHEET_TEST_SEED", "0")) or random.randrange(10**6)
    print(f"CALLSHEET_TEST_SEED={seed}")  # the one thing that is needed to see it again
    rng = random.Random(seed)
    provider.scenario = scenario()
    async with (
        Fleet(deployment, database_url, ROLES, lease_s=3.0) as fleet,
        books_of(database_url) as books,
    ):
        talkers = [Talker(fleet.doors(), random.Random(rng.random())) for _ in range(TALKERS)]
        havoc = asyncio.create_task(fleet.havoc(rng, EVERY_S))
        async with asyncio.TaskGroup() as talking:
            for number, talker in enumerate(talkers):
                talking.create_task(conversation(talker, number, TURNS))
            if LONG:
                talking.create_task(progress(fleet, talkers))
        while fleet.kills < KILLS:
            more = f"marker-more-{rng.randrange(10**9):09}"
            await talkers[0].say(f"Repeat {more}.", more, WITHIN_S)
        havoc.cancel()
        await books.until_idle(within_s=60)
        assert await problems(books, talkers) == []
        assert fleet.kills >= KILLS
        returns = sum(run.connections - 1 for talker in talkers for run in talker.runs)
        assert returns >= TALKERS


async def progress(fleet: Fleet, talkers: list[Talker]) -> None:
    """A line now and then, until everybody has said all."""
    ended = 0
    while ended < TALKERS * TURNS:  # answers to what runs ask are not counted
        ended = len(
            {run.word for talker in talkers for run in talker.runs if run.end and not run.asked}
        )
        print(f"{ended} of {TALKERS * TURNS} turns, {fleet.kills} processes killed", flush=True)
        await asyncio.sleep(5)
