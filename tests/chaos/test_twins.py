"""The same request twice at the same moment, at different processes: one run, shown to both."""

from __future__ import annotations

import asyncio
import json
import random
from uuid import uuid4

import httpx

from tests.chaos.fleet import Fleet
from tests.fakes.chat_script import chat_script
from tests.fakes.deployment import Deployment
from tests.fakes.provider.server import FakeProvider
from tests.fixtures.app import books_of

PAIRS, AT_ONCE = 200, 8
HEADERS = {"content-type": "application/json", "accept": "text/event-stream"}


async def test_two_identical_requests_are_one_run(
    deployment: Deployment, database_url: str, provider: FakeProvider
) -> None:
    provider.scenario = chat_script(complexity="simple")
    rng = random.Random(7)
    async with (
        Fleet(deployment, database_url, ["serve"] * 4, lease_s=30) as fleet,
        books_of(database_url) as books,
        httpx.AsyncClient(timeout=60, limits=httpx.Limits(max_connections=None)) as http,
    ):
        gate = asyncio.Semaphore(AT_ONCE)

        async def pair() -> None:
            async with gate:
                one, two = await twins(http, rng.sample(fleet.doors(), 2))
            assert one == two
            assert b'"RUN_FINISHED"' in one

        async with asyncio.TaskGroup() as pairs:
            for _ in range(PAIRS):
                pairs.create_task(pair())
        await books.until_idle()
        assert await books.one("SELECT count(*) FROM runs") == PAIRS
        assert await books.one("SELECT count(*) FROM messages WHERE role = 'user'") == PAIRS
        assert len(await books.calls()) == provider.stats.requests
        assert await books.audit() == {}


async def twins(http: httpx.AsyncClient, doors: list[str]) -> tuple[bytes, bytes]:
    """What each of two processes shows of the same request."""
    body = json.dumps(
        {
            "threadId": str(uuid4()),
            "runId": str(uuid4()),
            "protocolVersion": "1.0",
            "messages": [{"id": str(uuid4()), "role": "user", "content": "Once, please."}],
        }
    )

    async def ask(door: str) -> bytes:
        answer = await http.post(f"{door}/v1/agent-chat", content=body, headers=HEADERS)
        assert answer.status_code == 200, answer.text
        return b"\n".join(line for line in answer.content.split(b"\n") if line[:1] != b":")

    async with asyncio.TaskGroup() as both:
        one, two = [both.create_task(ask(door)) for door in doors]
    return one.result(), two.result()
