"""A client that sends megabytes does not stop the others."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import replace

import httpx

from callsheet.main import create_app
from tests.api.fake import ALICE, OPTIONS, World


async def test_other_requests_go_on_while_a_large_body_is_read() -> None:
    """Half-characters are the slow case: each text of the state is looked through."""
    state = '{"a":"\\ud800"},' * 120_000
    message = json.dumps([{"id": "m", "role": "user", "content": "x"}])
    body = f'{{"threadId":"t","runId":"r","state":[{state}0],"messages":{message}}}'
    app = create_app(World().services(), replace(OPTIONS, max_body_bytes=10_000_000))
    transport = httpx.ASGITransport(app)
    gaps: list[float] = []

    async def beat() -> None:
        while True:
            began = time.perf_counter()
            await asyncio.sleep(0.005)
            gaps.append(time.perf_counter() - began)

    async with (
        httpx.AsyncClient(transport=transport, base_url="http://callsheet.example") as client,
        asyncio.TaskGroup() as group,
    ):
        beating = group.create_task(beat())
        began = time.perf_counter()
        answer = await client.post(
            "/v1/agent-chat",
            content=body,
            headers={**ALICE, "Content-Type": "application/json", "Accept": "application/json"},
        )
        took = time.perf_counter() - began
        beating.cancel()
    assert answer.status_code == 200
    assert max(gaps) < took / 2
