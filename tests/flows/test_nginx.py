"""Behind a proxy as the distribution ships it: nothing is held back, and silence is survived."""

from __future__ import annotations

import time
from itertools import pairwise
from pathlib import Path

import httpx
import pytest

from tests.agui.frames import read_frames
from tests.api.fake import ALICE, World
from tests.api.live import serve
from tests.fakes.agui_client import AgUiClient
from tests.fakes.books import Books
from tests.fakes.chat_script import chat_script
from tests.fakes.nginx import nginx_before
from tests.fakes.provider.server import FakeProvider
from tests.fakes.running_app import RunningApp

pytestmark = pytest.mark.needs("nginx")

GAP_S = 0.05
WAIT = {
    "threadId": "t",
    "runId": "r",
    "messages": [{"id": "m", "role": "user", "content": "wait"}],
}


async def test_deltas_come_through_as_they_are_written(
    shared_app: RunningApp, provider: FakeProvider, books: Books, tmp_path: Path
) -> None:
    provider.scenario = chat_script(organization={"text": None, "chunks": 60, "gap_s": GAP_S})
    seen_at: list[float] = []
    with nginx_before(shared_app.base_url, tmp_path) as address:
        async with (
            httpx.AsyncClient(base_url=address, timeout=30) as http,
            AgUiClient(http).open("hello") as (turn, events),
        ):
            async for event in events:
                if event["type"] == "TEXT_MESSAGE_CONTENT":
                    seen_at.append(time.monotonic())
    assert turn.finish().breaches == []
    assert turn.headers["server"].startswith("nginx")
    assert len(seen_at) > 30
    gaps = [later - one for one, later in pairwise(seen_at)]
    assert max(gaps) < 0.5


async def test_silence_is_survived_far_beyond_the_proxys_patience(tmp_path: Path) -> None:
    """The fakes ping every 0.05 s; the proxy waits 1 s here, and the silence lasts over 3 s."""
    world = World()
    with (
        serve(world) as upstream,
        nginx_before(upstream, tmp_path, more="proxy_read_timeout 1s;") as address,
    ):
        async with (
            httpx.AsyncClient(base_url=address, headers=ALICE, timeout=30) as client,
            client.stream("POST", "/v1/agent-chat", json=WAIT) as answer,
        ):
            data, began_at = b"", time.monotonic()
            async for piece in answer.aiter_bytes():
                data += piece
                if time.monotonic() - began_at > 3:
                    world.chat.go_on.set()
    assert data.count(b": ping\n\n") > 10
    assert read_frames(data)[-1][1]["type"] == "RUN_FINISHED"
