"""Whether the process lives, and whether it can serve turns."""

from __future__ import annotations

import httpx

from tests.api.fake import World


async def test_health_asks_for_no_key_and_says_what_is_warming(
    client: httpx.AsyncClient, world: World
) -> None:
    nobody = {"Authorization": ""}
    assert (await client.get("/health/live", headers=nobody)).json() == {"status": "live"}
    ready = await client.get("/health/ready", headers=nobody)
    assert (ready.status_code, ready.json()["status"]) == (200, "ready")
    world.health.warming = True
    warming = await client.get("/health/ready", headers=nobody)
    assert warming.status_code == 503
    assert warming.json()["parts"][1] == {
        "name": "crews",
        "ready": False,
        "needed": True,
        "detail": "loading",
    }


async def test_what_is_not_needed_is_told_and_leaves_the_server_ready(
    client: httpx.AsyncClient, world: World
) -> None:
    world.health.lacks_sandbox = True
    ready = await client.get("/health/ready")
    assert (ready.status_code, ready.json()["status"]) == (200, "ready")
    sandbox = {"name": "sandbox", "ready": False, "needed": False, "detail": "no engine"}
    assert ready.json()["parts"][-1] == sandbox


async def test_health_answers_head(client: httpx.AsyncClient) -> None:
    answer = await client.head("/health/live")
    assert answer.status_code == 200
