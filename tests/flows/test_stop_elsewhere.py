"""A run is stopped from any process that serves the same database."""

from __future__ import annotations

import time

from tests.fakes.chat_script import chat_script
from tests.fakes.deployment import Deployment
from tests.fakes.provider.server import FakeProvider
from tests.fakes.two_apps import two_apps

STALLED = {"text": None, "chunks": 5, "fault": "stall", "fault_at": 3}


async def test_a_stop_in_another_process_closes_the_providers_connection_within_a_second(
    deployment: Deployment, database_url: str, provider: FakeProvider
) -> None:
    provider.scenario = chat_script(execution=STALLED)
    async with (
        two_apps(deployment.settings(database_url)) as (here, there),
        here.open("hello") as (turn, events),
    ):
        async for event in events:
            if event["type"] == "REASONING_MESSAGE_CONTENT" and "w00002" in event["delta"]:
                break
        url = f"/v1/runs/{turn.headers['x-run-id']}/cancel"
        asked_at = time.monotonic()
        stopped = await there.http.post(url)
        again = await here.http.post(url)
        async for _ in events:
            pass
    assert turn.finish().breaches == []
    assert stopped.json()["status"] == again.json()["status"] == "cancelled"
    assert turn.last["outcome"] == {"type": "cancelled"}
    [gone] = provider.stats.disconnected
    assert gone.at_s - asked_at < 1
    assert provider.stats.requests == 2


async def test_a_session_is_stopped_and_deleted_from_another_process(
    deployment: Deployment, database_url: str, provider: FakeProvider
) -> None:
    provider.scenario = chat_script(intent={"fault": "hang"})
    async with (
        two_apps(deployment.settings(database_url)) as (here, there),
        here.open("hello") as (turn, events),
    ):
        await provider.until(lambda seen: seen.open == 1)
        deleted = await there.http.delete(f"/v1/sessions/{turn.headers['x-session-id']}")
        async for _ in events:
            pass
    assert deleted.status_code == 204
    assert turn.finish().breaches == []
    assert turn.last["outcome"] == {"type": "cancelled"}
