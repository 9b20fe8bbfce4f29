"""A worker is killed in the middle of an answer: official clients end with the answer alone."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx
import pytest

from tests.chaos.fleet import Fleet
from tests.fakes.books import Books
from tests.fakes.chat_script import chat_script
from tests.fakes.deployment import Deployment
from tests.fakes.provider.server import FakeProvider
from tests.fixtures.app import books_of
from tests.plugins.needs import WEB, node

pytestmark = pytest.mark.needs("node")

SUM = {"name": "calculator", "arguments": '{"expression": "17*23"}'}
GENERATIONS = ("agui-1.0", "agui-0.0")


async def talking(url: str, generation: str) -> asyncio.subprocess.Process:
    asked = {"url": f"{url}/v1/agent-chat", "headers": {}, "threads": [["hello"]], "state": {}}
    return await asyncio.create_subprocess_exec(
        str(node()),
        str(WEB / "official_client.mjs"),
        str(WEB / generation),
        json.dumps(asked),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )


async def until_text_shows(books: Books, runs: int) -> None:
    """Each run has streamed a part of its visible answer."""
    async with asyncio.timeout(60):
        while await books.one(_WITH_TEXT) < runs:
            await asyncio.sleep(0.05)


_WITH_TEXT = """
SELECT count(DISTINCT d.run_id) FROM run_events s
JOIN run_events d ON d.run_id = s.run_id AND d.event->>'message_id' = s.event->>'message_id'
WHERE s.event->>'kind' = 'text_started' AND (s.event->>'visible')::boolean
  AND d.event->>'kind' = 'text_delta'
"""


@pytest.mark.timeout(240)
async def test_what_the_dead_worker_had_streamed_is_gone_in_the_end(
    deployment: Deployment, database_url: str, provider: FakeProvider
) -> None:
    held = {"text": None, "chunks": 12, "batch": 5, "held": True}
    provider.scenario = chat_script(execution={"tools": [SUM]}, organization=held)
    async with (
        Fleet(deployment, database_url, ("api", "worker"), lease_s=2.0) as fleet,
        books_of(database_url) as books,
    ):
        api, worker = fleet.members
        clients = [await talking(api.url, generation) for generation in GENERATIONS]
        await until_text_shows(books, len(clients))
        await fleet.kill(worker)
        fleet.start(worker)
        async with httpx.AsyncClient() as control:
            await control.post(f"{provider.base_url.removesuffix('/v1')}/control/release")
        answer = "".join(f"w{number:05d} " for number in range(12))
        for client in clients:
            async with asyncio.timeout(90):
                output, errors = await client.communicate()
            assert client.returncode == 0, errors.decode()
            result: dict[str, Any] = json.loads(output)
            assert result["complaints"] == []
            [thread] = result["threads"]
            [turn] = thread["turns"]
            assert (turn["outcome"], turn["rejected"], turn["runError"]) == ("success", None, None)
            assert turn["events"]["MESSAGES_SNAPSHOT"] == 1
            shown = [
                (each["role"], each.get("content"))
                for each in thread["messages"]
                if each["role"] not in ("reasoning", "activity")
            ]
            assert shown == [
                ("user", "hello"),
                ("assistant", None),
                ("tool", "391"),
                ("assistant", answer),
            ]
