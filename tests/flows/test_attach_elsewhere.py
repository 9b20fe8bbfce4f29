"""Looking on at a run of another process: by its own request again, and while this one ends."""

from __future__ import annotations

import asyncio
import statistics
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from callsheet.db.engine import plain_url
from callsheet.settings.settings import Settings
from callsheet.wiring.core import VIEWS
from tests.fakes.agui_client import AgUiClient, Turn
from tests.fakes.chat_script import chat_script
from tests.fakes.deployment import Deployment
from tests.fakes.provider.server import FakeProvider
from tests.fakes.redis_server import redis_server
from tests.fakes.running_app import RunningApp
from tests.fakes.two_apps import client_of, two_apps

REDIS = pytest.mark.needs("redis")
HELD = {"text": None, "chunks": 6, "fault": "stall", "fault_at": 3}


async def until_it_thinks(events: AsyncIterator[dict[str, Any]]) -> None:
    async for event in events:
        if event["type"] == "REASONING_MESSAGE_CONTENT":
            return


async def to_the_end(turn: Turn, events: AsyncIterator[dict[str, Any]]) -> Turn:
    async for _ in events:
        pass
    return turn


async def test_the_same_request_at_another_process_shows_the_run_to_its_end(
    deployment: Deployment, database_url: str, provider: FakeProvider
) -> None:
    provider.scenario = chat_script(execution=HELD)
    settings = deployment.settings(database_url)
    async with (
        two_apps(settings) as (here, there),
        here.open("hello", thread_id="t", run_id="r") as (first, events),
    ):
        await until_it_thinks(events)
        async with there.open("hello", thread_id="t", run_id="r") as (again, others):
            await anext(others)
            await here.http.post("/v1/runs/r/cancel")
            async with asyncio.timeout(20):
                await to_the_end(first, events)
                await to_the_end(again, others)
    assert (again.events, again.frame_ids) == (first.events, first.frame_ids)


@pytest.mark.parametrize("door", ["events", "connect"])
async def test_a_process_that_ends_does_not_wait_for_runs_of_others(
    deployment: Deployment, database_url: str, provider: FakeProvider, door: str
) -> None:
    provider.scenario = chat_script(execution=HELD)
    settings = deployment.settings(database_url)
    async with (
        RunningApp(settings) as one,
        client_of(one) as here,
        here.open("hello", thread_id="t", run_id="r") as (first, events),
    ):
        await until_it_thinks(events)
        two = RunningApp(settings)
        async with two, client_of(two) as there:
            looking = there.watch("r") if door == "events" else there.connect("t")
            async with looking as (other, others):
                await anext(others)
                asked_at = time.monotonic()
                stopping = asyncio.create_task(two.__aexit__(None, None, None))
                await to_the_end(other, others)
            await stopping
            took_s = time.monotonic() - asked_at
        await here.http.post("/v1/runs/r/cancel")
        await to_the_end(first, events)
    assert other.last["code"] == "interrupted"
    assert took_s < 10
    assert first.finish().breaches == []


@pytest.mark.parametrize("way", ["database", pytest.param("redis", marks=REDIS)])
async def test_what_another_process_writes_is_seen_at_once(
    deployment: Deployment, database_url: str, provider: FakeProvider, way: str
) -> None:
    with tempfile.TemporaryDirectory(prefix="cs-redis-") as folder, ExitStack() as stack:
        url = stack.enter_context(redis_server(Path(folder))) if way == "redis" else None
        settings = deployment.settings(database_url, stream={"redis_url": url})
        await _seen_at_once(settings, provider)


async def _seen_at_once(settings: Settings, provider: FakeProvider) -> None:
    paced = {"text": None, "chunks": 60, "gap_s": 0.05, "stamp": True}
    provider.scenario = chat_script(organization=paced)
    delays_s: list[float] = []
    async with (
        two_apps(settings) as (here, there),
        here.open("hello", run_id="r") as (first, events),
    ):
        await anext(events)
        async with there.watch("r") as (other, others):
            async for event in others:
                if event["type"] == "TEXT_MESSAGE_CONTENT":
                    sent_ns = int(event["delta"].rpartition("@")[2].split()[0])
                    delays_s.append(time.monotonic() - sent_ns / 1e9)
        await to_the_end(first, events)
    assert other.finish().breaches == []
    assert (other.events, other.frame_ids) == (first.events, first.frame_ids)
    assert statistics.median(delays_s) < 0.5


async def test_of_a_run_that_nobody_elsewhere_looks_at_nothing_is_said(
    agui: AgUiClient, shared_database_url: str
) -> None:
    heard: list[str] = []
    connection = await asyncpg.connect(plain_url(shared_database_url))
    await connection.add_listener(VIEWS, lambda *said: heard.append(str(said[-1])))
    turn = await agui.ask("hello")
    async with agui.watch(turn.run_id) as (again, events):
        await to_the_end(again, events)
    await connection.execute("SELECT 1")  # what was said before has been heard
    await connection.close()
    assert heard == []
